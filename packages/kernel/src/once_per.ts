/**
 * Makes a value once for each owner, such as a database pool or an object store. It lives as long as its owner, so that
 * no module holds it.
 */
export function oncePer<Owner extends object, Value extends object>(
  make: (owner: Owner) => Value
): (owner: Owner) => Value {
  const values = new WeakMap<Owner, Value>()
  return (owner) => {
    let value = values.get(owner)
    if (value === undefined) {
      value = make(owner)
      values.set(owner, value)
    }
    return value
  }
}
