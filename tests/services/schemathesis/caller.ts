/** As whom schemathesis makes its requests. */
export interface Caller {
  readonly token: string
  /** What is to be left alone, so that the caller may do to the end what it may do at the beginning. */
  readonly kept: readonly string[]
  /** Who it is now, and what it may do. */
  standing(): Promise<unknown>
}

/** Signs the first user of an installation in. */
export async function callerAt(origin: string): Promise<Caller> {
  const form = { grant_type: 'password', username: 'admin', password: 'start123' }
  const signedIn = await fetch(`${origin}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  const { access_token: token } = (await signedIn.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${token}` }

  const idsAt = async (path: string) => {
    const ids: string[] = []
    for (let total = 1; ids.length < total;) {
      const query = `fields=id&page[limit]=50&page[offset]=${ids.length}`
      const answer = await fetch(`${origin}/auth${path}?${query}`, { headers })
      const page = (await answer.json()) as { data: { id: string }[]; meta: { total: number } }
      total = page.meta.total
      ids.push(...page.data.map(({ id }) => id))
    }
    return ids
  }
  const kept = await Promise.all(['/users', '/user-roles', '/role-permissions'].map(idsAt))

  return {
    token,
    kept: kept.flat(),
    async standing() {
      const answer = await fetch(`${origin}/auth/token/introspect`, {
        method: 'POST',
        body: new URLSearchParams({ token }),
      })
      return answer.json()
    },
  }
}
