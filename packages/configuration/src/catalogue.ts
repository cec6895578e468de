import type { Mistake } from './configuration_error.js'

/** The environment: `process.env`, or a plain object in a test. */
export type Source = Readonly<Record<string, string | undefined>>

/** Parses the text of a variable; throws an `InvalidValueError` if it is invalid. */
export interface Reader<Value> {
  readonly type: string
  /** Whether errors may quote an invalid text; never for variables that may contain passwords. */
  readonly quotable: boolean
  read(text: string): Value
}

/** A default that depends on set variables or earlier defaults. It is parsed like a set text. */
export interface Derived<Text extends string | undefined = string | undefined> {
  readonly description: string
  readonly text: (known: never) => Text
}

/** Older names of a variable, and the conversion of their texts. */
export interface Alias {
  readonly names: readonly string[]
  readonly description: string
  text(source: Source): string | undefined
}

export interface Variable {
  readonly reader: Reader<unknown>
  readonly description: string
  readonly default?: string | Derived
  /** A word that requests the default explicitly, such as `memory`. */
  readonly defaultKeyword?: string
  readonly example?: string
  readonly secret?: true
  readonly requiredInProduction?: true
  readonly aliases?: readonly (string | Alias)[]
}

export type Variables = Readonly<Record<string, Variable>>
export type Groups = Readonly<Record<string, Variables>>

type Intersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  all: infer All
) => void
  ? All
  : never

type ValueOf<V> = V extends { readonly reader: Reader<infer Value> }
  ? V extends { readonly default: string | Derived<string> }
    ? Value
    : Value | undefined
  : never

type Flat<G extends Groups> = Intersection<G[keyof G]>

/** The values of a table of variables, by name, as its readers give them. */
export type Values<G extends Groups> = {
  readonly [Name in keyof Flat<G>]: ValueOf<Flat<G>[Name]>
}

/** The input of a rule: values, which of them are set, and their texts. */
export interface Facts<V> {
  readonly values: V
  readonly variables: Variables
  /** Whether all of these are set, including to their default keyword. */
  isGiven(...names: (keyof V & string)[]): boolean
  /** Whether this is set to anything but its default keyword. */
  isOverridden(name: keyof V & string): boolean
  text(name: string): string | undefined
}

export interface Catalogue<G extends Groups> {
  readonly groups: G
  /** Rules about combinations of variables. */
  readonly rules: readonly ((facts: Facts<Values<G>>) => readonly Mistake[])[]
  /** Valid settings that operators should be warned of at each start. */
  readonly warningRules: readonly ((facts: Facts<Values<G>>) => readonly string[])[]
}

/** Preserves the literal types of a table, so that its values can be inferred. */
export function defineVariables<const G extends Groups>(groups: G): G {
  return groups
}

/** A default computed from earlier values, with its description for the documentation. */
export function derived<Known, Text extends string | undefined>(
  description: string,
  text: (known: Known) => Text
): Derived<Text> {
  return { description, text }
}

/** All variables of a table by name, without their groups. */
export function flatten(groups: Groups): Variables {
  return Object.assign({}, ...Object.values(groups))
}

/** All names of a variable, including older ones. */
export function namesOf(name: string, variable: Variable): readonly string[] {
  const older = (variable.aliases ?? []).flatMap((alias) =>
    typeof alias === 'string' ? [alias] : alias.names
  )
  return [name, ...older]
}

/** Describes the values that a variable accepts. */
export function describeAllowed(variable: Variable): string {
  return variable.defaultKeyword
    ? `${variable.defaultKeyword} or ${variable.reader.type}`
    : variable.reader.type
}

/** An empty text counts as unset, since compose files and shells pass unset variables that way. */
export function isSet(source: Source, name: string): boolean {
  return (source[name] ?? '').trim() !== ''
}
