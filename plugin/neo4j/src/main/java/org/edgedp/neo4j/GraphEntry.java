package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;

/**
 * A row of the registry: what is public of a graph, and where its nodes and edges are.
 *
 * @param nodeLabels a node has one of them
 * @param relationshipTypes a relationship has one of them
 * @param where conditions on a relationship's own properties, as the statement takes them; empty: each relationship
 * @param candidates the label whose nodes are ranked, and counted as nodes; null where all are
 * @param row its columns, as the worker takes them
 */
record GraphEntry(
        String name,
        List<Label> nodeLabels,
        List<RelationshipType> relationshipTypes,
        String idProperty,
        List<Map<String, Object>> where,
        Label candidates,
        JsonNode row) {
    /** Between names that are alternatives of each other; no name holds it. */
    static final String ALTERNATIVES = "\0";

    /** Characters of one title, as in {@code titles.py}. */
    private static final long LONGEST_TITLE = 200;

    /** Return the entry of a name, if there is one. */
    static Optional<GraphEntry> find(Transaction transaction, String name) {
        List<Map<String, Object>> found = rows(transaction, "graph_find", Map.of("name", name));
        return found.stream().findFirst().map(columns -> of(Frame.toJson(columns)));
    }

    static GraphEntry of(JsonNode row) {
        JsonNode made = projection(row);
        return new GraphEntry(
                row.get("name").textValue(),
                names(made, "node_labels", row.get("nodeLabel")).stream()
                        .map(Label::label)
                        .toList(),
                names(made, "relationship_types", row.get("relationshipType")).stream()
                        .map(RelationshipType::withName)
                        .toList(),
                row.get("idProperty").asText(),
                conditions(made.path("where")),
                made.path("candidates").isTextual() ? Label.label(made.get("candidates").textValue()) : null,
                row);
    }

    /** Return the labels of the nodes that a row of the registry counts; of one that was edited, its text. */
    static Map<String, String> counted(Map<String, Object> row) {
        JsonNode listed = Frame.toJson(row);
        JsonNode made = projection(listed);
        String labels = place(names(made, "node_labels", listed.get("nodeLabel")));
        return Map.of("candidate_label", made.path("candidates").asText(labels));
    }

    /** Whether only candidates are ranked, of whose degrees there is no bound. */
    static boolean hasCandidates(Map<String, Object> row) {
        return projection(Frame.toJson(row)).hasNonNull("candidates");
    }

    /** The ledgers that a release of its edges debits, where they are not that of its name alone; else none. */
    List<String> accounts() {
        return StreamSupport.stream(row.path("accounts").spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }

    /** Whether its relationships weigh something. */
    boolean weighted() {
        return projection(row).path("weight").isObject();
    }

    /** The property that holds what a relationship weighs; null where relationships are counted. */
    String weightProperty() {
        return projection(row).path("weight").path("property").textValue();
    }

    /** The names that fill the placeholders of a statement. */
    Map<String, String> place() {
        String labels = place(nodeLabels.stream().map(Label::name).toList());
        return Map.of(
                "node_label", labels,
                "candidate_label", candidates == null ? labels : candidates.name(),
                "relationship_type",
                        place(relationshipTypes.stream().map(RelationshipType::name).toList()),
                "id_property", idProperty);
    }

    /** The names, and one of a property. */
    Map<String, String> place(String property) {
        Map<String, String> place = new HashMap<>(place());
        place.put("property", property);
        return place;
    }

    /** Whether a node has one of the labels. */
    boolean holds(Node node) {
        return nodeLabels.stream().anyMatch(node::hasLabel);
    }

    /** What is public of the nodes, as of now, for an estimate; a release has it of the nodes that it reads. */
    JsonNode survey(Transaction transaction) {
        Map<String, Object> asked = Map.of("nodeLabel", row.get("nodeLabel").asText());
        return Frame.toJson(rows(transaction, "survey", place(), asked).get(0));
    }

    /** How many nodes there are now, by the count store where there is one label. */
    long nodeCount(Transaction transaction) {
        Map<String, String> all = Map.of("candidate_label", place().get("node_label"));
        return (Long) rows(transaction, "node_count", all, Map.of()).get(0).get("nodes");
    }

    /** Whether a label is the one that edgedp gave to the nodes of this graph. */
    boolean isItsOwn(String label) {
        return label.equals(row.get("nodeLabel").asText());
    }

    /** Those of some ids that nodes have. */
    JsonNode named(Transaction transaction, List<Object> ids) {
        return Frame.toJson(rows(transaction, "named", place(), Map.of("ids", ids)));
    }

    /** Return what Neo4j calls the nodes of some ids; of those that no node has, nothing. */
    Map<Object, String> nodeIds(Transaction transaction, List<Object> ids) {
        Map<Object, String> found = new HashMap<>();
        rows(transaction, "picked", place(), Map.of("ids", ids))
                .forEach(row -> found.putIfAbsent(row.get("id"), (String) row.get("nodeId")));
        return found;
    }

    /** The titles of the nodes of some ids: public, of a graph whose row names a property of them. */
    JsonNode titles(Transaction transaction, JsonNode ids) {
        List<Object> asked = new ArrayList<>();
        ids.forEach(id -> asked.add(Frame.toCypher(id)));
        String property = row.get("titleProperty").asText();
        return Frame.toJson(rows(
                transaction, "titles", place(property), Map.of("ids", asked, "longest", LONGEST_TITLE)));
    }

    /** The labels whose nodes no index finds by their id. */
    JsonNode unindexed(Transaction transaction) {
        return Frame.toJson(nodeLabels.stream()
                .map(Label::name)
                .filter(label -> rows(
                                transaction, "survey_index", Map.of("nodeLabel", label, "idProperty", idProperty))
                        .isEmpty())
                .toList());
    }

    private static String place(List<String> names) {
        return String.join(ALTERNATIVES, names);
    }

    /** What a row says of it; of one that was edited nothing, for the worker reads it, too, and refuses. */
    private static JsonNode projection(JsonNode row) {
        try {
            return Frame.JSON.readTree(row.path("projection").asText("{}"));
        } catch (JsonProcessingException edited) {
            return Frame.JSON.createObjectNode();
        }
    }

    private static List<String> names(JsonNode made, String key, JsonNode only) {
        JsonNode listed = made.path(key);
        if (!listed.isArray()) return List.of(only.asText());
        return StreamSupport.stream(listed.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }

    /** The conditions, as the worker has checked them when the graph was registered. */
    private static List<Map<String, Object>> conditions(JsonNode where) {
        return where.properties().stream()
                .flatMap(of -> of.getValue().properties().stream().flatMap(asked -> {
                    Object value = value(asked.getValue());
                    return comparisons(asked.getKey(), value).map(comparison -> Map.of(
                            "property", of.getKey(), "comparison", comparison, "value", bound(comparison, value)));
                }))
                .toList();
    }

    /** An equality with a float beyond 64 bits by its two halves: the database takes the largest integer for it. */
    private static Stream<String> comparisons(String comparison, Object value) {
        boolean beyond = value instanceof Double number && Math.abs(number) >= 0x1p63;
        return comparison.equals("eq") && beyond ? Stream.of("gte", "lte") : Stream.of(comparison);
    }

    /** Zero has one sign: the database orders -0.0 before 0, which equal each other. */
    private static Object bound(String comparison, Object value) {
        boolean zero = value instanceof Number number && number.doubleValue() == 0;
        if (!zero) return value;
        return comparison.equals("gte") || comparison.equals("lt") ? -0.0 : 0.0;
    }

    /** A constant, or a list of them; a moment is written as a date or a time in UTC under the key date. */
    private static Object value(JsonNode written) {
        if (written.isArray()) {
            return StreamSupport.stream(written.spliterator(), false)
                    .map(GraphEntry::value)
                    .toList();
        }
        if (!written.isObject()) return Frame.JSON.convertValue(written, Object.class);
        String moment = written.path("date").asText();
        return moment.contains("T")
                ? ZonedDateTime.parse(moment)
                : LocalDate.parse(moment).atStartOfDay(ZoneOffset.UTC);
    }

    /** The conditions as a statement takes them: those that compare with moments apart from all others. */
    Map<String, Object> conditions() {
        Map<Boolean, List<Map<String, Object>>> found = where.stream()
                .collect(Collectors.partitioningBy(asked -> isMoment(asked.get("value"))));
        return Map.of("where", found.get(false), "moments", found.get(true));
    }

    private static boolean isMoment(Object value) {
        Object first = value instanceof List<?> listed && !listed.isEmpty() ? listed.get(0) : value;
        return first instanceof ZonedDateTime;
    }
}
