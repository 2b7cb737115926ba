import java.sql.*;
import java.util.*;

/** Views URL VIEWS: what JDBC gets from the views, in the lines of views.py. */
class Views {
	static String kind(Object value, String type) {
		if (value instanceof Number) return "number";
		if (value instanceof java.util.Date) return "time";
		if (value instanceof Boolean) return "bool";
		if (type.equals("jsonb")) return value.toString().startsWith("{") ? "object" : value.toString();
		// Types that the driver does not know come as its PGobject, which holds text or bytes.
		return value instanceof String || value.getClass().getSimpleName().startsWith("PG") ? "text" : value.getClass().getName();
	}

	public static void main(String[] args) throws SQLException {
		try (Connection connection = DriverManager.getConnection(args[0])) {
			for (String view : args[1].split(",")) {
				try (PreparedStatement statement = connection.prepareStatement("SELECT * FROM profiling." + view);
						ResultSet rows = statement.executeQuery()) {
					ResultSetMetaData columns = rows.getMetaData();
					List<Set<String>> kinds = new ArrayList<>();
					for (int i = 1; i <= columns.getColumnCount(); i++) kinds.add(new TreeSet<>());
					while (rows.next()) {
						for (int i = 1; i <= columns.getColumnCount(); i++) {
							Object value = rows.getObject(i);
							if (value != null) kinds.get(i - 1).add(kind(value, columns.getColumnTypeName(i)));
						}
					}
					for (int i = 1; i <= columns.getColumnCount(); i++) {
						Set<String> seen = kinds.get(i - 1);
						System.out.println(view + " " + columns.getColumnName(i) + " " + (seen.isEmpty() ? "null" : String.join("|", seen)));
					}
				}
			}
			try (PreparedStatement statement = connection.prepareStatement("SELECT metric, total FROM profiling.benchmark_trend ORDER BY started_at");
					ResultSet rows = statement.executeQuery()) {
				while (rows.next()) System.out.printf(Locale.ROOT, "trend %.3f %.3f%n", rows.getDouble(1), rows.getDouble(2));
			}
			try (PreparedStatement statement = connection.prepareStatement("SELECT flamegraph_send(flamegraph) FROM profiling.latest_profile");
					ResultSet rows = statement.executeQuery()) {
				rows.next();
				StringBuilder hex = new StringBuilder();
				for (byte b : rows.getBytes(1)) hex.append(String.format("%02x", b));
				System.out.println("binary " + hex);
			}
		}
	}
}
