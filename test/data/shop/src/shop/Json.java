package shop;

import java.util.List;
import java.util.Map;

/** Writes nested maps and lists. */
public final class Json {
    private Json() {}

    public static void write(Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> map) {
            out.append('{');
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                quote((String) entry.getKey(), out);
                write(entry.getValue(), out);
            }
            out.append('}');
        } else if (value instanceof List<?> list) {
            out.append('[');
            for (Object item : list) {
                write(item, out);
            }
            out.append(']');
        } else {
            quote(String.valueOf(value), out);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            out.append(text.charAt(i));
        }
        out.append('"');
    }

    /** A tree of offers, for the answer of a request: depth levels deep. */
    public static Object tree(int depth, int width, String leaf) {
        if (depth == 0) {
            return leaf;
        }
        Object child = tree(depth - 1, width, leaf);
        if (depth % 2 == 0) {
            return Map.of("items", child, "more", leaf);
        }
        return java.util.Collections.nCopies(width, child);
    }
}
