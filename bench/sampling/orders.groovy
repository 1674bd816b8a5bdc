// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors
//
// Orders are made, grouped, sorted and written down, as Groovy does it: closures, properties, dynamic calls,
// strings with values in them. The value is the closure that does it.
class Order {
	String customer
	int quantity
	BigDecimal price

	BigDecimal getTotal() { price * quantity }
}

def random = new Random(7)

def make = { int number ->
	new Order(customer: "customer ${number % 37}", quantity: 1 + random.nextInt(9),
		price: new BigDecimal(random.nextInt(10000)).movePointLeft(2))
}

def priceOf = { Order order ->
	try {
		if (order.quantity == 9)
			throw new IllegalArgumentException("too many: ${order.quantity}")
		order.total
	} catch (IllegalArgumentException tooMany) {
		order.total * 0.9
	}
}

return {
	def orders = (0..<400).collect(make)
	def byCustomer = orders.groupBy { it.customer }.collectEntries { customer, list ->
		[customer, list.collect(priceOf).inject(0G) { sum, price -> sum + price }]
	}
	def lines = byCustomer.sort { -it.value }.collect { customer, sum ->
		"${customer.padRight(16)}${sum.toString().padLeft(12)}".toUpperCase()
	}
	assert lines.findAll { it =~ /CUSTOMER \d+ +[\d.]+/ }.size() == 37
}
