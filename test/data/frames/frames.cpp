// Spends its time in functions whose symbols are worth a look: templates,
// lambdas, operators, and static functions of which GCC makes clones.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#define NOINLINE __attribute__((noinline))

static volatile unsigned sink;

NOINLINE unsigned spin(unsigned n)
{
    unsigned hash = n;
    for (unsigned i = 0; i < n; i++)
        hash = hash * 31 + (hash >> 7) + sink;
    return hash;
}

// Always called with the same second argument: .constprop
static NOINLINE unsigned scaled(unsigned n, unsigned factor, unsigned shift)
{
    unsigned hash = factor;
    for (unsigned i = 0; i < n; i++)
        hash = (hash * factor + i) ^ (hash >> shift);
    return hash + sink;
}

// Takes a pointer to a struct of which it reads two members: .isra
struct Wide {
    unsigned a, b, c[30];
};

static NOINLINE unsigned narrow(const Wide *wide)
{
    unsigned hash = wide->a;
    for (unsigned i = 0; i < 3000; i++)
        hash = hash * 31 + wide->b + (hash >> 5);
    return hash;
}

// A quick test before a long body: the body becomes .part, the test is inlined
static unsigned guarded(unsigned n)
{
    if (n % 2 == 0)
        return n;
    unsigned hash = n;
    for (unsigned i = 0; i < 3000; i++)
        hash = hash * 33 + spin(1) + (hash >> 3);
    for (unsigned i = 0; i < 300; i++)
        hash ^= spin(i & 7) + i;
    return hash;
}

// A part that is hardly ever run: .cold
NOINLINE unsigned checked(unsigned n)
{
    if (__builtin_expect(n == 0xffffffff, 0)) {
        std::fprintf(stderr, "no %u\n", n);
        std::abort();
    }
    try {
        std::string text(n % 40 + 1, 'x');
        return spin(2000) + text.size();
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
        throw;
    }
}

namespace {
struct Hidden {
    NOINLINE unsigned run(unsigned n) const { return spin(n) + 1; }
};
} // namespace

namespace geometry {
template <typename T, int N> struct Vector {
    T values[N];
    NOINLINE Vector operator+(const Vector &other) const
    {
        Vector sum;
        for (int i = 0; i < N; i++)
            sum.values[i] = values[i] + other.values[i] + T(spin(200) & 1);
        return sum;
    }
    NOINLINE T operator()(int i) const { return values[i % N] + T(spin(500) & 1); }
    NOINLINE bool operator<(const Vector &other) const { return (spin(300) & 1) + values[0] < other.values[0]; }
    template <typename U> NOINLINE U as() const { return U(values[0]) + U(spin(500) & 1); }
    NOINLINE explicit operator bool() const { return spin(500) & 1; }
};

class Shape {
public:
    NOINLINE Shape() : side(spin(500)) {}
    NOINLINE virtual ~Shape() { sink = spin(500); }
    virtual unsigned area() const = 0;
    unsigned side;
};

class Square final : public Shape {
public:
    NOINLINE unsigned area() const override { return spin(1000); }
};
} // namespace geometry

template <typename F> NOINLINE unsigned apply(F &&f, unsigned n)
{
    return f(n) + 1;
}

template <typename... T> NOINLINE unsigned total(const T &...values)
{
    return (unsigned(values) + ...) + spin(800);
}

NOINLINE unsigned lambdas(unsigned n)
{
    auto plain = [](unsigned m) NOINLINE { return spin(m) + 1; };
    auto captures = [&](unsigned m) NOINLINE { return spin(m) + n; };
    auto generic = [](auto m) NOINLINE { return spin(unsigned(m)) + 2; };
    std::function<unsigned(unsigned)> wrapped = captures;
    unsigned (*pointer)(unsigned) = [](unsigned m) { return spin(m) + 3; };
    return apply(plain, 1000) + apply(captures, 1000) + generic(1000) + generic(1000.0) + wrapped(1000) + pointer(1000);
}

NOINLINE unsigned library(unsigned n)
{
    std::map<std::string, unsigned> words;
    for (unsigned i = 0; i < 40; i++)
        words["word " + std::to_string((n + i) % 17)] += i;
    std::vector<std::pair<std::string, unsigned>> list(words.begin(), words.end());
    std::sort(list.begin(), list.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
    std::unordered_map<std::string, std::unique_ptr<geometry::Vector<float, 2>>> more;
    for (const auto &[word, count] : list)
        more[word] = std::make_unique<geometry::Vector<float, 2>>();
    std::ostringstream out;
    out << n << ' ' << std::sqrt(double(n)) << ' ' << list.front().first;
    static const std::regex digits("([a-z]+) ([0-9]+)");
    std::smatch found;
    std::string text = list.back().first;
    return std::regex_search(text, found, digits) + out.str().size() + more.size();
}

static int compare(const void *a, const void *b)
{
    return std::strcmp(*(char *const *) a, *(char *const *) b);
}

NOINLINE unsigned system_calls(unsigned n)
{
    const char *words[] = {"one", "two", "three", "four", "five", "six"};
    std::qsort(words, 6, sizeof *words, compare);
    char text[80];
    std::snprintf(text, sizeof text, "%u %s %g", n, words[n % 6], n / 7.0);
    std::vector<char> page(1 << 20, char(n));
    if (FILE *file = std::fopen("/dev/null", "w")) {
        std::fwrite(page.data(), 1, page.size(), file);
        std::fclose(file);
    }
    return std::strtod(text, nullptr) + page[n % page.size()];
}

NOINLINE unsigned work(unsigned n)
{
    geometry::Vector<double, 3> a = {{1, 2, double(n)}}, b = {{3, 2, 1}};
    std::vector<geometry::Vector<int, 2>> many(8);
    std::unique_ptr<geometry::Shape> shape(new geometry::Square);
    Wide wide = {n, n + 1, {}};
    unsigned sum = unsigned((a + b)(1)) + a.as<float>() + a.as<unsigned>() + bool(a) + shape->area();
    std::sort(many.begin(), many.end());
    sum += scaled(2000, 13, 7) + scaled(2001 + (n & 1), 13, 7) + narrow(&wide) + guarded(n) + guarded(n + 1);
    sum += checked(n) + Hidden().run(1000) + total(1, 2u, 3.0, 'x') + lambdas(n);
    return sum + library(n) + system_calls(n);
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? std::atoi(argv[1]) : 1000;
    std::thread other([=] {
        for (unsigned i = 0; i < rounds / 2; i++)
            sink = work(i);
    });
    for (unsigned i = 0; i < rounds; i++)
        sink = work(i);
    other.join();
}
