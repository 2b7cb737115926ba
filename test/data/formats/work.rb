# What stackprof records: ruby work.rb MODE INTERVAL FILE
require 'json'
require 'stackprof'

class Shop
  def price(order)
    order.sum { |line| line * 3 }
  end

  def render(order)
    order.map { |line| "#{line}: #{'x' * 40}" }.join(', ')
  end

  def serve(count)
    count.times do |i|
      order = (1..60).map { |n| (n * i) % 17 }
      price(order)
      render(order)
    end
  end
end

mode, interval, out = ARGV
profile = StackProf.run(mode: mode.to_sym, interval: interval.to_i, raw: true) { Shop.new.serve(12_000) }
File.write(out, JSON.generate(profile))
