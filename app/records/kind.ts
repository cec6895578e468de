import { loggedIn, type Access } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { BodyValidator } from '#kernel/body'
import type { Column } from '#records/column'
import type { Values } from '#records/values'
import { RecordBody } from '#records/record_body'
import { checkDeclaration } from '#query/check_declaration'
import type { SqlCondition } from '#query/condition'
import type { Declaration, Direction, Link } from '#query/declaration'

export type { Values }

/** A relation to one record of another kind, by the column that holds its id. */
export interface Relation {
  readonly to: () => Kind
  readonly by: string
  /** Whether `include` takes it; queries may go through it in any case. */
  readonly includable?: boolean
  /** Whether the record is removed with the other one, as the foreign key in the database has it. */
  readonly goesAlong?: boolean
}

export interface KindDefinition {
  /** As it is written on the wire: camelCase. */
  readonly name: string
  readonly collection: string
  readonly table: string
  /** In the order in which they are shown. */
  readonly columns: Readonly<Record<string, Column>>
  /** What a body may hold although no column keeps it; the kind's service takes it out again. */
  readonly unstored?: Readonly<Record<string, Column['body']>>
  readonly relations?: Readonly<Record<string, Relation>>
  readonly filters?: readonly string[]
  readonly sorts?: readonly string[]
  readonly defaultSort?: Readonly<Record<string, Direction>>
  readonly indexes: readonly (readonly string[])[]
  /** Whether `meta.schema` names the allowed fields, or leaves it at the default ones. */
  readonly namesAllowedFields?: boolean
  /** The column with the realm whose members may write the record; records of no realm are everybody's. */
  readonly realm?: string
  /** The columns with the realms that hear of changes; the realm's where they are left out. */
  readonly heardIn?: readonly string[]
  readonly access: {
    readonly read?: Access
    readonly create?: Access
    readonly update?: Access
    readonly remove?: Access
  }
  /** What somebody who is not logged in sees of a record; for kinds that everybody may read, which is not the rule. */
  readonly openFields?: readonly string[]
  /** Bodies are checked before permissions, unless a kind says otherwise. */
  readonly permissionFirst?: boolean
  /** Who sees the secret columns; nobody where it is left out. */
  readonly reveals?: (actor: Actor) => boolean | SqlCondition
}

const MAX_PAGE = 50

/**
 * A kind of record, declared once: how it is stored, shown, asked for and written, and by whom.
 */
export class Kind {
  readonly name: string
  readonly collection: string
  readonly table: string
  /** The name in messages: kebab-case. */
  readonly label: string
  readonly columns: Readonly<Record<string, Column>>
  readonly relations: Readonly<Record<string, Relation>>
  /** The columns that are secret: kept out of answers, events and logs. */
  readonly secrets: readonly string[]
  readonly realm: string | undefined
  readonly heardIn: readonly string[]
  readonly access: KindDefinition['access'] & { readonly read: Access }
  readonly permissionFirst: boolean
  readonly declaration: Declaration
  /** What is left of it for somebody who is not logged in, where that is anything. */
  readonly openDeclaration: Declaration | undefined
  readonly createBody: BodyValidator<Values> | undefined
  readonly updateBody: BodyValidator<Values> | undefined
  readonly reveals: (actor: Actor) => boolean | SqlCondition

  constructor(definition: KindDefinition) {
    this.name = definition.name
    this.collection = definition.collection
    this.table = definition.table
    this.label = definition.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    this.columns = definition.columns
    this.secrets = Object.keys(definition.columns).filter((key) => definition.columns[key]!.secret)
    this.relations = definition.relations ?? {}
    this.realm = definition.realm
    this.heardIn = definition.heardIn ?? (definition.realm === undefined ? [] : [definition.realm])
    this.access = { read: loggedIn, ...definition.access }
    this.permissionFirst = definition.permissionFirst ?? false
    this.declaration = declarationOf(definition)
    this.openDeclaration =
      definition.openFields && narrowed(this.declaration, definition.openFields)
    this.createBody = definition.access.create && bodyOf(definition, 'create')
    this.updateBody = definition.access.update && bodyOf(definition, 'update')
    this.reveals = definition.reveals ?? (() => false)
  }
}

/**
 * Declares a kind. What is wrong with a declaration is said when the program starts.
 */
export function defineKind(definition: KindDefinition): Kind {
  const kind = new Kind(definition)
  kinds.push(kind)
  return kind
}

const kinds: Kind[] = []

/** The kinds of the surfaces that this process works for. */
export const declaredKinds = (): readonly Kind[] => kinds

export function kindOf(declaration: Declaration): Kind {
  const kind = kinds.find((candidate) => candidate.declaration === declaration)
  if (!kind) {
    throw new Error(`${declaration.name} is declared by no kind`)
  }
  return kind
}

/** Throws where a declaration promises what it cannot keep; run once all kinds are loaded. */
export function requireSoundKinds(): void {
  const problems = kinds.flatMap(({ declaration, openDeclaration = declaration }) =>
    [...new Set([declaration, openDeclaration])].flatMap(checkDeclaration)
  )
  if (problems.length > 0) {
    throw new Error(`Some kinds are declared wrongly:\n${problems.join('\n')}`)
  }
}

function declarationOf(definition: KindDefinition): Declaration {
  const { name, table, columns, relations = {}, filters, sorts, defaultSort, indexes } = definition
  const shown = Object.keys(columns).filter((key) => !columns[key]!.internal)
  const open = shown.filter((key) => !columns[key]!.secret && !columns[key]!.optIn)
  const onRequest = shown.filter((key) => !open.includes(key))
  const includable = Object.keys(relations).filter((key) => relations[key]!.includable)
  return {
    name,
    table,
    properties: columns,
    indexes,
    fields: {
      default: open,
      ...(definition.namesAllowedFields !== false && { allowed: [...open, ...onRequest] }),
    },
    filters: { allowed: filters },
    sorts: { allowed: sorts, default: defaultSort },
    pagination: { maxLimit: MAX_PAGE },
    relations: {
      ...(includable.length > 0 && { allowed: includable }),
      links: Object.fromEntries(Object.entries(relations).map(([key, to]) => [key, linkOf(to)])),
    },
  }
}

/** A declaration that knows some columns only, and no other kinds. */
function narrowed(declaration: Declaration, names: readonly string[]): Declaration {
  const known = (name: string) => names.includes(name)
  const { properties, indexes, filters, sorts } = declaration
  return {
    ...declaration,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => known(name))),
    indexes: indexes?.filter((sequence) => sequence.every(known)),
    fields: { default: names, allowed: names },
    filters: { ...filters, allowed: filters?.allowed?.filter(known) },
    sorts: { ...sorts, allowed: sorts?.allowed?.filter(known) },
    relations: {},
  }
}

function linkOf({ to, by }: Relation): Link {
  return { target: () => to().declaration, local: by, foreign: 'id' }
}

function bodyOf({ columns, unstored = {} }: KindDefinition, write: 'create' | 'update') {
  const stored = Object.entries(columns).map(([name, { body: rule }]) => [name, rule] as const)
  const rules = [...stored, ...Object.entries(unstored)].flatMap(([name, rule]) => {
    return rule?.[write] ? [[name, rule[write]]] : []
  })
  return new RecordBody(Object.fromEntries(rules), columns)
}
