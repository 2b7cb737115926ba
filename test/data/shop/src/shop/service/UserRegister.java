package shop.service;

import shop.Db;
import shop.Json;
import shop.Mail;
import shop.Rules;
import shop.Shop;

/** Registers a user, who may invite another one. */
public final class UserRegister {
    private final Db db;

    public UserRegister(Db db) {
        this.db = db;
    }

    public int run(int id) {
        int ok = 0;
        String text = form(id);
        for (int i = 0; i < 30; i++) {
            ok += Mail.check(text) ? 1 : 0;
        }
        if (id % 2 == 0) {
            ok += invite(id);
        }
        ok += Rules.all(7, id) ? 1 : 0;
        return ok + welcome(id);
    }

    private int invite(int id) {
        int ok = 0;
        for (int i = 0; i < 20; i++) {
            ok += Mail.check("Guest of user " + id + " (invited) <guest" + i + "@mail.example.net>") ? 1 : 0;
        }
        return ok;
    }

    /** The address field of the form; version after no longer cuts the comment off. */
    private static String form(int id) {
        String comment = " (likes lamps, chairs and tables)".repeat(5);
        return "User number " + id + (Shop.after ? comment : "") + " <user" + id + "@mail.example.com>";
    }

    private int welcome(int id) {
        StringBuilder out = new StringBuilder();
        Json.write(Json.tree(4, 6, db.articles.get(id % 1500).title()), out);
        return out.length();
    }
}
