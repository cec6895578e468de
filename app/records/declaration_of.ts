import type { Declaration, Link } from '#query/declaration'
import type { Column } from './column.js'
import type { KindDefinition } from './kind_definition.js'
import type { ModelClass } from './model.js'

const MAX_PAGE = 50

/** A relation as queries use it. */
interface Relation {
  readonly to: () => { readonly declaration: Declaration }
  readonly by: string
}

/** The parts of a kind that its declaration is derived from. */
interface KindDescription {
  readonly name: string
  readonly table: string
  readonly columns: Readonly<Record<string, Column>>
  readonly relations: Readonly<Record<string, Relation>>
}

/** The query declaration of a kind. */
export function declarationOf<M extends ModelClass>(
  { name, table, columns, relations }: KindDescription,
  { filters, sorts, defaultSort, indexes, includable = [], totalsBy, ...traits }: KindDefinition<M>
): Declaration {
  const shown = Object.keys(columns).filter((key) => !columns[key]!.internal)
  const shownByDefault = shown.filter((key) => !columns[key]!.secret && !columns[key]!.optIn)
  const onRequest = shown.filter((key) => !shownByDefault.includes(key))
  return {
    name,
    table,
    properties: columns,
    totals: { realm: traits.realm, ...(totalsBy && { groups: totalsBy }) },
    indexes,
    ...(traits.choosesFields !== false && {
      fields: {
        default: shownByDefault,
        ...(traits.namesAllowedFields !== false && { allowed: [...shownByDefault, ...onRequest] }),
      },
    }),
    filters: { allowed: filters },
    sorts: { allowed: sorts, default: defaultSort && Object.fromEntries([defaultSort]) },
    pagination: { maxLimit: MAX_PAGE },
    relations: {
      ...(includable.length > 0 && { allowed: includable }),
      links: Object.fromEntries(Object.entries(relations).map(([key, to]) => [key, linkOf(to)])),
    },
  }
}

/** A declaration limited to some columns, without relations. */
export function restrictTo(declaration: Declaration, names: readonly string[]): Declaration {
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
