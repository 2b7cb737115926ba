package shop;

/** Discount rules: "all of" and "any of" by turns, down to a plain test. */
public final class Rules {
    private Rules() {}

    public static boolean all(int level, int cart) {
        boolean result = true;
        for (int i = 0; i < 2; i++) {
            result &= level == 0 ? test(cart + i) : any(level - 1, cart * 3 + i);
        }
        return result;
    }

    private static boolean any(int level, int cart) {
        boolean result = false;
        for (int i = 0; i < 2; i++) {
            result |= level == 0 ? test(cart - i) : all(level - 1, cart * 3 - i);
        }
        return result;
    }

    private static boolean test(int n) {
        int hash = n;
        for (int i = 0; i < 30; i++) {
            hash = hash * 31 + (hash >>> 7);
        }
        return (hash & 3) != 0;
    }
}
