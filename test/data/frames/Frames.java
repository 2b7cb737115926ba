import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Spends its time below frames whose names differ from run to run: lambdas,
 * proxies, accessors, method handles. With the argument "reverse" the parts
 * run in reverse order, so that the JVM's running numbers differ as well.
 */
public class Frames {
    interface Shape {
        int area(int n);
    }

    public interface Task {
        int work(int n);
    }

    static class Box implements Shape, Task {
        int side = 3;

        public Box() {
            side += spin(2000) & 1;
        }

        @Override
        public int area(int n) {
            return spin(n);
        }

        @Override
        public int work(int n) {
            return spin(n);
        }
    }

    static volatile int sink;

    /** What all the time is spent in. */
    static int spin(int n) {
        int hash = n;
        for (int i = 0; i < n; i++) {
            hash = hash * 31 + (hash >>> 7);
        }
        return hash;
    }

    static int lambda() {
        IntUnaryOperator plain = n -> spin(n);
        int base = sink & 1;
        IntUnaryOperator captures = n -> spin(n + base);
        IntUnaryOperator method = Frames::spin;
        return plain.andThen(captures).andThen(n -> method.applyAsInt(2000)).applyAsInt(2000);
    }

    static int sort() {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            words.add("word" + i * 37 % 60);
        }
        words.sort(Comparator.comparing(String::length).thenComparing(w -> spin(300) + w.hashCode()));
        words.sort(Comparator.<String>naturalOrder().reversed());
        Collections.sort(words, new Comparator<>() {
            @Override
            public int compare(String a, String b) {
                return a.compareTo(b) + (spin(200) & 0);
            }
        });
        return words.size();
    }

    static int stream() {
        return IntStream.range(0, 200).filter(n -> n % 3 > 0).map(n -> spin(n * 3)).boxed()
            .map(n -> spin(200) + n).reduce(0, Integer::sum);
    }

    static int proxy() {
        Box box = new Box();
        Shape shape = (Shape) Proxy.newProxyInstance(Frames.class.getClassLoader(),
            new Class<?>[] {Shape.class}, (self, method, args) -> method.invoke(box, args));
        Task task = (Task) Proxy.newProxyInstance(Frames.class.getClassLoader(),
            new Class<?>[] {Task.class}, (self, method, args) -> spin(3000));
        Callable<?> call = (Callable<?>) Proxy.newProxyInstance(Frames.class.getClassLoader(),
            new Class<?>[] {Callable.class}, (self, method, args) -> spin(3000));
        try {
            int sum = 0;
            for (int i = 0; i < 50; i++) {
                sum += shape.area(3000) + task.work(3000) + call.call().hashCode();
            }
            return sum;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static int reflect() {
        try {
            int sum = 0;
            for (String name : new String[] {"spin", "lambda0"}) {
                Method method = Frames.class.getDeclaredMethod(name, int.class);
                for (int i = 0; i < 40; i++) {
                    sum += (Integer) method.invoke(null, 2000);
                }
            }
            Constructor<Box> constructor = Box.class.getConstructor();
            for (int i = 0; i < 40; i++) {
                sum += constructor.newInstance().side;
            }
            return sum;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static int lambda0(int n) {
        return spin(n);
    }

    static int handle() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodType type = MethodType.methodType(int.class, int.class);
            MethodHandle spin = lookup.findStatic(Frames.class, "spin", type);
            MethodHandle area = lookup.findVirtual(Box.class, "area", type).bindTo(new Box());
            MethodHandle guard = MethodHandles.guardWithTest(
                MethodHandles.dropArguments(MethodHandles.constant(boolean.class, true), 0, int.class),
                MethodHandles.filterReturnValue(spin, area), spin);
            VarHandle side = lookup.findVarHandle(Box.class, "side", int.class);
            int sum = 0;
            Box box = new Box();
            for (int i = 0; i < 200; i++) {
                sum += (int) spin.invokeExact(500) + (int) area.invoke(500) + (int) guard.invokeExact(500);
                sum += (int) side.getAndAdd(box, 1);
            }
            return sum;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    static int concat() {
        String text = "";
        for (int i = 0; i < 300; i++) {
            text = i + ":" + text.length() + '/' + (long) i + "x".repeat(i);
        }
        return text.length();
    }

    static int local() {
        class Local implements Callable<Integer> {
            @Override
            public Integer call() {
                return spin(2000);
            }
        }
        Callable<Integer> anonymous = new Callable<>() {
            @Override
            public Integer call() {
                Callable<Integer> inner = () -> spin(2000);
                try {
                    return inner.call();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        try {
            return new Local().call() + anonymous.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** A stack trace as the JVM prints it, below a proxy, an accessor and a lambda. */
    static void trace() {
        Runnable fail = () -> {
            throw new IllegalStateException("trace");
        };
        try {
            Task task = (Task) Proxy.newProxyInstance(Frames.class.getClassLoader(),
                new Class<?>[] {Task.class}, (self, method, args) -> {
                    Runnable.class.getMethod("run").invoke(fail);
                    return 0;
                });
            task.work(1);
        } catch (Throwable e) {
            e.printStackTrace();
        }
    }

    public static void main(String[] args) {
        List<Runnable> parts = new ArrayList<>(List.of(
            () -> sink += lambda(), () -> sink += sort(), () -> sink += stream(),
            () -> sink += proxy(), () -> sink += reflect(), () -> sink += handle(),
            () -> sink += concat(), () -> sink += local()));
        if (args.length > 0) {
            Collections.reverse(parts);
        }
        trace();
        for (Runnable part : parts) {
            long end = System.nanoTime() + 700_000_000L;
            while (System.nanoTime() < end) {
                part.run();
            }
        }
    }
}
