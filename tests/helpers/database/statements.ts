import pg from 'pg'

/** Collects what is sent to the database, on whatever connection, until the returned function is called. */
export function listenToStatements(statements: string[]): () => void {
  const { prototype } = pg.Client as unknown as { prototype: Record<string, Function> }
  const query = prototype.query!
  prototype.query = function (this: unknown, ...parameters: any[]) {
    const [first] = parameters
    statements.push(typeof first === 'string' ? first : first.text)
    return query.apply(this, parameters)
  }
  return () => {
    prototype.query = query
  }
}
