import type { Mistake } from './configuration_error.js'

/** What the process was started with: `process.env`, or a plain object in a test. */
export type Source = Readonly<Record<string, string | undefined>>

/** Turns the text of a variable into its value; throws a `Refusal` where it cannot. */
export interface Reader<Value> {
  readonly type: string
  /** Whether a wrong text may be repeated in an error; never where people tend to paste passwords. */
  readonly quotable: boolean
  read(text: string): Value
}

/**
 * A default that follows from other variables: from what was set, and from defaults further up in the
 * table. It is read like a text that was set.
 */
export interface Derived<Text extends string | undefined = string | undefined> {
  readonly description: string
  readonly text: (known: never) => Text
}

/** Older names of a variable, and how their texts become the text of the new name. */
export interface Alias {
  readonly names: readonly string[]
  readonly description: string
  text(source: Source): string | undefined
}

export interface Variable {
  readonly reader: Reader<unknown>
  readonly description: string
  readonly default?: string | Derived
  /** A word that names the default on purpose, such as `memory`. */
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

/** What a rule may look at: values, what was set on purpose, and the texts behind them. */
export interface Facts<V> {
  readonly values: V
  readonly variables: Variables
  /** Whether all of these are set, be it to the word that asks for the default. */
  isGiven(...names: (keyof V & string)[]): boolean
  /** Whether this is set to something else than the word that asks for the default. */
  isOverridden(name: keyof V & string): boolean
  text(name: string): string | undefined
}

export interface Catalogue<G extends Groups> {
  readonly groups: G
  /** Mistakes that only show when variables are seen together. */
  readonly rules: readonly ((facts: Facts<Values<G>>) => readonly Mistake[])[]
  /** Settings that work but that the operator should know of at each start. */
  readonly warningRules: readonly ((facts: Facts<Values<G>>) => readonly string[])[]
}

/** Keeps the exact types of a table, so that the values can be inferred from it. */
export function defineVariables<const G extends Groups>(groups: G): G {
  return groups
}

/** A default worked out from values that are already known, with the words the documentation uses. */
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

/** Every name under which a variable can be set, the older ones included. */
export function namesOf(name: string, variable: Variable): readonly string[] {
  const older = (variable.aliases ?? []).flatMap((alias) =>
    typeof alias === 'string' ? [alias] : alias.names
  )
  return [name, ...older]
}

/** What a variable accepts, in words. */
export function describeAllowed(variable: Variable): string {
  return variable.defaultKeyword
    ? `${variable.defaultKeyword} or ${variable.reader.type}`
    : variable.reader.type
}

/** An empty text counts as unset: compose files and shells pass variables on that way. */
export function isSet(source: Source, name: string): boolean {
  return (source[name] ?? '').trim() !== ''
}
