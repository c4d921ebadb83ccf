/**
 * From zod to JSON Schema 2020-12, which is what OpenAPI 3.1 speaks. Zod's own conversion does it, so
 * that no package of others has to keep up with it; what it can't know of our idioms is put right
 * here.
 */
/* oxlint-disable no-underscore-dangle -- `_zod` is where zod's own types keep a schema's definition */
import * as z from "zod";

export type JsonSchema = { [keyword: string]: unknown };

const LOCATION = "#/components/schemas/";

export function schemaRef(name: string): JsonSchema {
  return { $ref: LOCATION + name };
}

/**
 * @param io `input`: what a request may hold. `output`: what an answer holds
 * @returns each schema by its name, with references where one holds another
 */
export function jsonSchemas(
  schemas: Readonly<Record<string, z.ZodType>>,
  io: "input" | "output",
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, {
    ...options(io),
    uri: (id) => LOCATION + id,
  });
  return Object.fromEntries(
    Object.entries(converted.schemas).map(([name, schema]) => [name, bare(schema)]),
  );
}

type Override = NonNullable<z.core.ToJSONSchemaParams["override"]>;

function options(io: "input" | "output") {
  const override: Override = (context) => adjust(context.zodSchema, context.jsonSchema, io);
  return { target: "draft-2020-12", io, unrepresentable: "any", override } as const;
}

/** The document says once which dialect it is in, and where each schema stands. */
function bare(schema: object): JsonSchema {
  const { $schema: _dialect, $id: _id, ...rest } = schema as JsonSchema;
  return rest;
}

function adjust(schema: z.core.$ZodTypes, shown: JsonSchema, io: "input" | "output"): void {
  const { def } = schema._zod;
  if (io === "input" && def.type === "pipe") showCounted(def, shown);
  // Zod says of every whole number that it is a safe one, which tells nobody anything.
  if (io === "output" && shown["maximum"] === Number.MAX_SAFE_INTEGER) delete shown["maximum"];
  if (def.type !== "object") return;
  if (io === "input") withoutNever(shown);
  // An answer may get more fields; whoever reads it has to pass over what it doesn't know.
  else delete shown["additionalProperties"];
}

/**
 * `list` and `texts` count first and look at the entries then; a reader wants to see both. What takes
 * anything at first shows nothing of its own.
 */
function showCounted({ in: counted, out }: z.core.$ZodPipeDef, shown: JsonSchema): void {
  const kind = counted._zod.def.type;
  const isCounted = kind === out._zod.def.type && (kind === "array" || kind === "record");
  if (!isCounted && !(kind === "unknown" && out._zod.def.type === "pipe")) return;
  const entries = bare(z.toJSONSchema(out, options("input")));
  for (const [keyword, value] of Object.entries(entries)) shown[keyword] = value;
}

/** A field that is there only to be refused with a better word. */
function withoutNever(shown: JsonSchema): void {
  const properties = (shown["properties"] ?? {}) as Record<string, JsonSchema>;
  for (const [name, property] of Object.entries(properties)) {
    if (property["not"] !== undefined) delete properties[name];
  }
}
