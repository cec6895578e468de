/**
 * The attributes that a body may have: an object with properties, a list of equal items, or a value that is not
 * inspected.
 */
export interface KnownAttributes {
  readonly properties?: ReadonlyMap<string, KnownAttributes>
  readonly each?: KnownAttributes
}

interface DeclaredNode {
  readonly propertyName: string
  readonly properties?: readonly DeclaredNode[]
  readonly each?: DeclaredNode
}

type Path = readonly string[]

/** Converts a schema into lookup tables. */
export function knownAttributes({ properties, each }: DeclaredNode): KnownAttributes {
  return {
    properties:
      properties && new Map(properties.map((one) => [one.propertyName, knownAttributes(one)])),
    each: each && knownAttributes(each),
  }
}

/** The paths of the attributes of a value that are not declared. */
export function unknownPaths(value: unknown, known: KnownAttributes): string[][] {
  const found: string[][] = []
  collectUnknown(value, known, [], found)
  return found
}

function collectUnknown(
  value: unknown,
  known: KnownAttributes,
  path: Path,
  found: string[][]
): void {
  if (typeof value !== 'object' || value === null) {
    return
  }
  if (!Array.isArray(value)) {
    collectUnknownOfObject(value as Record<string, unknown>, known, path, found)
  } else if (known.each) {
    for (const item of value) {
      collectUnknown(item, known.each, path, found)
    }
  }
}

function collectUnknownOfObject(
  value: Record<string, unknown>,
  { properties }: KnownAttributes,
  path: Path,
  found: string[][]
): void {
  if (!properties) {
    return
  }
  for (const name of Object.keys(value)) {
    const property = properties.get(name)
    if (!property) {
      found.push([...path, name])
    } else if (property.properties ?? property.each) {
      collectUnknown(value[name], property, [...path, name], found)
    }
  }
}
