package shop;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/** After every so many requests: turnover by kind of article, as JSON. */
final class Report implements Runnable {
    private final Db db;
    private final AtomicInteger done;
    private final int requests;
    private final int step;
    private volatile int length;

    Report(Db db, AtomicInteger done, int requests, int step) {
        this.db = db;
        this.done = done;
        this.requests = requests;
        this.step = step;
    }

    @Override
    public void run() {
        for (int at = step; at <= requests; at += step) {
            while (done.get() < at) {
                pause();
            }
            length = write(at);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(2);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int write(int at) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            out.setLength(0);
            Json.write(Map.of("at", at + i, "sums", sums(at + i), "tree", Json.tree(5, 5, "offer")), out);
        }
        return out.length();
    }

    private Map<String, Object> sums(int at) {
        List<Db.Article> sorted = new ArrayList<>(db.articles);
        sorted.sort(Comparator.comparing((Db.Article a) -> a.price() * at % 1009));
        Map<String, Object> sums = new TreeMap<>();
        for (Db.Article article : sorted.subList(0, 200)) {
            sums.merge(article.title(), article.price(), (a, b) -> (Integer) a + (Integer) b);
        }
        return sums;
    }
}
