// SPDX-License-Identifier: Apache-2.0
// Copyright the jprof authors

package com.acme.shop.pool;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Set;

/** A proxy around something of JDBC: it passes every call on, and puts a proxy around what comes back, as wrappers of drivers do. */
final class Wrapped implements InvocationHandler {
	private static final Set<Class<?>> WRAPPED = Set.of(Connection.class, Statement.class, PreparedStatement.class,
			CallableStatement.class, ResultSet.class);

	private final Object inside;

	private Wrapped(Object inside) {
		this.inside = inside;
	}

	static <T> T around(Class<T> type, Object inside) {
		return type.cast(Proxy.newProxyInstance(Wrapped.class.getClassLoader(), new Class<?>[] {type},
				new Wrapped(inside)));
	}

	@Override
	public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
		try {
			Object result = method.invoke(inside, arguments);

			return result != null && WRAPPED.contains(method.getReturnType())
					? around(method.getReturnType(), result) : result;
		} catch (InvocationTargetException e) {
			throw e.getCause();
		}
	}
}
