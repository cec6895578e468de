import type { Declaration, Property } from '#query/declaration'

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The column of a property: as declared, or its wire name in snake_case. */
export function columnOf(name: string, property: Property): string {
  return property.column ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

export function primaryKeyOf(declaration: Declaration): string {
  return declaration.primaryKey ?? 'id'
}

export function propertyOf(declaration: Declaration, name: string): Property {
  const property = declaration.properties[name]
  if (property === undefined) {
    throw new Error(`The kind ${declaration.name} declares no ${name}`)
  }
  return property
}

/** SQL expression of a property's value. */
export function valueOf(declaration: Declaration, name: string, row: string): string {
  const property = propertyOf(declaration, name)
  if (property.computed) {
    return `(${property.computed.sql(row)})`
  }
  return `${row}.${quoteName(columnOf(name, property))}`
}

/** The columns that a property's value is derived from. */
export function columnsOf(declaration: Declaration, name: string): readonly string[] {
  const property = propertyOf(declaration, name)
  return property.computed?.columns ?? [columnOf(name, property)]
}
