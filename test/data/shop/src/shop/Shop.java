package shop;

import java.util.concurrent.atomic.AtomicInteger;
import shop.service.Checkout;
import shop.service.Search;
import shop.service.UserRegister;

/** A web shop without the web: threads that work off a fixed list of requests. */
public final class Shop implements Runnable {
    /** Version "after" of the program? Set once, before the threads start. */
    public static boolean after;

    private static final int WORKERS = 3;
    private static final int REQUESTS_PER_REPORT = 100;
    private static volatile long sink;

    private final Db db;
    private final AtomicInteger next;
    private final int requests;

    private Shop(Db db, AtomicInteger next, int requests) {
        this.db = db;
        this.next = next;
        this.requests = requests;
    }

    @Override
    public void run() {
        Checkout checkout = new Checkout(db);
        Search search = new Search(db);
        UserRegister register = new UserRegister(db);
        long sum = 0;
        for (int id; (id = next.getAndIncrement()) < requests; ) {
            switch (id % 8) {
                case 0, 3, 6 -> sum += checkout.run(id);
                case 1, 5 -> sum += search.run(id);
                default -> sum += register.run(id);
            }
        }
        sink = sum;
    }

    public static void main(String[] args) throws InterruptedException {
        if (args.length != 2 || !args[0].matches("before|after")) {
            System.err.println("usage: shop.Shop before|after REQUESTS");
            System.exit(2);
        }
        after = args[0].equals("after");
        int requests = Integer.parseInt(args[1]);
        AtomicInteger next = new AtomicInteger();
        Db db = new Db(1500);

        Thread[] workers = new Thread[WORKERS];
        for (int i = 0; i < WORKERS; i++) {
            workers[i] = new Thread(new Shop(db, next, requests), "worker-" + i);
        }
        Thread report = new Thread(new Report(db, next, requests, REQUESTS_PER_REPORT), "report");
        for (Thread worker : workers) {
            worker.start();
        }
        report.start();
        for (Thread worker : workers) {
            worker.join();
        }
        report.join();
    }
}
