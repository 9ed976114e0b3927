import type { ViewFunction } from "./render.js";
import type { Json } from "./riblet.js";

/** A JSON Schema of what Swift types are coded as. */
export type JSONSchema = { [keyword: string]: any };

/** What `GET /v1/apps/{app}/schema` answers: the types that the server has met so far. */
export interface Schema { app?: string; types: { [type: string]: TypeSchema } }
export interface TypeSchema { state?: JSONSchema; action?: JSONSchema | false }

export interface GenericOptions {
  /** Where schemas come from; by default from the server. */
  schema?: () => Promise<Schema> | Schema;
  /** The app whose schema is asked for. Without it, and without `schema`, there are no forms. */
  app?: string;
  /** The server's address; by default the page's origin. */
  url?: string | URL;
}

/** Makes a view that draws any riblet: its state, its children, and forms for its actions. */
export function generic(options?: GenericOptions): ViewFunction;

/** One action of a riblet, as what has to be entered for it. */
export interface Form {
  /** The action's case; undefined if the whole action is entered as JSON. */
  readonly name?: string;
  readonly label: string;
  /** Whether the action is nothing but its name. */
  readonly isBare: boolean;
  readonly fields: readonly Field[];
  /** True if a part of the action is `writeOnly`: the action is then sent as a secret. */
  readonly isSecret?: true;
}

export interface Field {
  /** The key in the action's payload; undefined if the whole payload is entered as JSON. */
  readonly name?: string;
  readonly label: string;
  readonly kind:
    "integer" | "number" | "boolean" | "string" | "secret" | "date-time" | "uri" | "uuid" | "select" | "json";
  readonly isRequired: boolean;
  /** The values to choose from; the index of one is entered. */
  readonly options?: readonly Json[];
  readonly schema: JSONSchema;
}

/** The forms for a riblet's actions; none for a riblet without actions. */
export function actionForms(schema: JSONSchema | false | undefined): Form[];

/** The action that was entered, or what is wrong, in words, by the index of the field. */
export function toAction(
  form: Form, entered: readonly (string | boolean)[]): { action: Json } | { errors: { [index: number]: string } };

/**
 * Finds the schema of a type: at once, as a promise if it has to be asked for, or not (`undefined`), if it was asked
 * for less than five seconds ago and is still unknown.
 */
export function schemaSource(load: () => Promise<Schema | undefined> | Schema | undefined, now?: () => number):
  (type: string) => TypeSchema | Promise<TypeSchema | undefined> | undefined;

/** The members that a table of objects has as its columns; undefined if they do not make a table. */
export function tableColumns(rows: readonly Json[]): string[] | undefined;

/** `didSetGlobalCount` as "Did set global count". */
export function humanize(name: string): string;
