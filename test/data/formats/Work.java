import java.io.FileInputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Something of everything that a flight recorder sees: work, garbage, locks, files, errors. */
public class Work {
    static final Object lock = new Object();
    static volatile Object sink;
    static long sum;

    static int depth(int n) {
        return n == 0 ? 0 : 1 + depth(n - 1);
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static void allocate() {
        for (int i = 0; i < 300; i++) {
            sink = new byte[20000];
        }
    }

    static void sort() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            names.add("n" + i * 7919 % 3001);
        }
        names.sort(Comparator.comparing((String name) -> name.length()).thenComparing(name -> name));
        sum += names.get(0).length();
    }

    static void locked() throws InterruptedException {
        synchronized (lock) {
            Thread.sleep(15);
            sum += fib(15);
        }
    }

    static void read(String file) throws Exception {
        try (FileInputStream in = new FileInputStream(file)) {
            sum += in.read(new byte[4096]);
        }
    }

    static void fail() {
        try {
            throw new Error("expected");
        } catch (Error error) {
            sum++;
        }
    }

    static void run(String file) {
        try {
            for (int i = 0; i < 12; i++) {
                sum += fib(35) + depth(40);
                allocate();
                sort();
                read(file);
                if (i % 4 == 0) {
                    locked();
                    fail();
                    LockSupport.parkNanos(15_000_000);
                }
            }
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[2];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> run(args[0]), "worker-" + t);
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
