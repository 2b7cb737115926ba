package shop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The tables: articles, in memory. */
public final class Db {
    public record Article(int id, String sku, String title, int price) {}

    private static final String[] WORDS = {
        "red", "green", "blue", "small", "large", "round", "square", "wooden",
        "chair", "table", "lamp", "shelf", "desk", "sofa", "bed", "carpet"
    };

    public final List<Article> articles = new ArrayList<>();
    private final Map<String, Article> bySku = new HashMap<>();

    public Db(int size) {
        for (int id = 0; id < size; id++) {
            String title = WORDS[id % 16] + " " + WORDS[id / 16 % 16] + " " + WORDS[id * 7 / 5 % 16];
            Article article = new Article(id, "SKU-" + (100000 + id), title, 199 + id * 37 % 9001);
            articles.add(article);
            bySku.put(article.sku(), article);
        }
    }

    /** The article with this number: by a scan in version before, by a map in version after. */
    public Article find(String sku) {
        return Shop.after ? bySku.get(sku) : scan(sku);
    }

    private Article scan(String sku) {
        Article found = null;
        for (Article article : articles) {
            found = article.sku().equals(sku) ? article : found;
        }
        return found;
    }
}
