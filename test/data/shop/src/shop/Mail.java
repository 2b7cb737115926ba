package shop;

/** E-mail addresses. */
public final class Mail {
    private Mail() {}

    /**
     * Is this a valid address, with or without a name and comments around it?
     * The time grows with the square of the length: for each character the
     * brackets before it are counted anew.
     */
    public static boolean check(String text) {
        int at = 0;
        for (int i = 0; i < text.length(); i++) {
            if (depth(text, i) == 0 && text.charAt(i) == '@') {
                at++;
            }
        }
        return at == 1 && host(text.substring(text.lastIndexOf('@') + 1));
    }

    /** How many brackets are open before the character at this position? */
    private static int depth(String text, int end) {
        int depth = 0;
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        }
        return depth;
    }

    private static boolean host(String host) {
        int dots = 0;
        for (char c : host.toCharArray()) {
            dots += c == '.' ? 1 : 0;
        }
        return dots > 0;
    }
}
