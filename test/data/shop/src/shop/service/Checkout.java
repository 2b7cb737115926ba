package shop.service;

import shop.Db;
import shop.Json;
import shop.Mail;
import shop.Rules;

/** Pays a cart. */
public final class Checkout {
    private final Db db;

    public Checkout(Db db) {
        this.db = db;
    }

    public int run(int id) {
        int total = 0;
        for (int i = 0; i < 25; i++) {
            total += db.find("SKU-" + (100000 + (id + i * 59) % 1500)).price();
        }
        if (Rules.all(9, total)) {
            total -= total / 10;
        }
        String buyer = "Buyer number " + id + " (shop account) <buyer" + id + "@mail.example.com>";
        String friend = "A friend of number " + id + " (gift) <friend" + id + "@post.example.org>";
        for (int i = 0; i < 20; i++) {
            total += Mail.check(buyer) && Mail.check(friend) ? 1 : 0;
        }
        return total + receipt(total);
    }

    private int receipt(int total) {
        StringBuilder out = new StringBuilder();
        Json.write(Json.tree(8, 4, "total " + total), out);
        return out.length();
    }
}
