package org.edgedp.neo4j;

import com.fasterxml.jackson.databind.JsonNode;

/** What is known of the plugin on this server. */
public final class Plugin {
    /** Version of the plugin. */
    public final String version;
    /** Version of the Python package that the worker runs; null where none answers. */
    public final String worker;
    /** Version of the worker's Python; null where none answers. */
    public final String python;
    /** Why no worker answers; null where one does. */
    public final String problem;

    private Plugin(String worker, String python, String problem) {
        this.version = Version.CURRENT;
        this.worker = worker;
        this.python = python;
        this.problem = problem;
    }

    static Plugin ask(Call call) {
        try {
            JsonNode about = call.ask(Frame.request("about")).header();
            return new Plugin(about.get("version").textValue(), about.get("python").textValue(), null);
        } catch (EdgeDPException error) {
            return new Plugin(null, null, error.getMessage());
        }
    }
}
