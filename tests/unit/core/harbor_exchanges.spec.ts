import { test } from '@japa/runner'

import { ACCOUNT, HarborServer } from '#tests/helpers/core/harbor_server'
import { readHarborExchanges, type HarborExchange } from '#tests/helpers/vectors'

const FIRST = 'p3k9x2m4q8w1e5r7t0y6z'
const SECOND = 'q7w8e9'

/** Requests that the fake Harbor does not support, since the platform does not send them. */
const UNSUPPORTED =
  /\/(ping|health|quotas|search|users\/current|artifacts.*|_deletable|immutabletagrules|webhook\/events|executions)(\?|$)/

/**
 * Exchanges that cannot be reproduced: a valid account was rejected once, a tag is immutable by an unsupported rule, and a
 * body is truncated in the recording.
 */
const NOT_REPRODUCIBLE = [
  'robot logs in: get project',
  'repo delete with immutable tag',
  'hook long auth header',
]

/** Changes of an operator before an exchange. */
const BEFORE: Record<string, (harbor: HarborServer) => void> = {
  'no credentials': (harbor) => harbor.addProject('library', true),
  'repositories': ({ projects }) => {
    for (const name of ['simple', 'a/b/c', 'x.y_z-1', '0f8fad5b-d9cb-469f-a165-70867728950e']) {
      projects.get(FIRST)!.repositories.add(name)
    }
  },
  'robot reads project': (harbor) => {
    harbor.projectStore.skipIds(10)
    harbor.addProject(SECOND).repositories.add('img')
    harbor.robotStore.skipIds(11)
    harbor.robotStore.add(SECOND, [{ kind: 'project', namespace: SECOND, access: [] }])
  },
  'robot after project was recreated: patch secret': ({ projectStore: shelf }) => {
    shelf.remove(SECOND)
    shelf.skipIds(12)
    shelf.add(SECOND).repositories.add('img')
  },
  'read only: create project': (harbor) => (harbor.isReadOnly = true),
  'robot with push': (harbor) => {
    harbor.isReadOnly = false
    harbor.addProject('hookp')
    harbor.addProject('hookbase')
  },
}

const isSupported = ({ name, path, direction }: HarborExchange) =>
  direction === undefined && !UNSUPPORTED.test(path) && !NOT_REPRODUCIBLE.includes(name)

/** The credentials of a recorded login. Robot accounts use their current secret. */
function authorizationOf(harbor: HarborServer, recorded: string): string {
  const [, number, name] = /^Basic <login (\d+): (.+)>$/.exec(recorded) ?? []
  if (number === undefined) {
    return recorded
  }
  const wrong = ['2', '3', '5'].includes(number)
  const secrets: Record<string, string> = {
    admin: ACCOUNT.accountSecret,
    normal: harbor.passwords.get('normal') ?? '',
  }
  const robot = harbor.robotOf(name!.replace(/^(robot\$|bot_)/, ''))
  const secret = wrong ? 'Wrong-1234' : (secrets[name!] ?? robot?.secret)
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`
}

/** Skips ids up to the recorded one, since other requests used some as well. */
function skipIds(harbor: HarborServer, { method, responseHeaders }: HarborExchange): void {
  const location = responseHeaders?.location ?? ''
  const id = Number(/\/(\d+)$/.exec(location)?.[1]) - 1
  if (method === 'POST' && location.includes('/robots/')) {
    harbor.robotStore.skipIds(id)
  } else if (method === 'POST' && location.includes('/policies/')) {
    harbor.projectStore.skipPolicyIds(id)
  } else if (method === 'POST' && /\/projects\/\d+$/.test(location)) {
    harbor.projectStore.skipIds(id)
  }
}

async function replay(harbor: HarborServer, exchange: HarborExchange): Promise<Response> {
  const { method, path, body, headers: { authorization, ...headers } = {} } = exchange
  return fetch(`http://${harbor.host}${path}`, {
    method,
    body,
    headers: {
      ...headers,
      ...(authorization && { authorization: authorizationOf(harbor, authorization) }),
    },
  })
}

/** Removes values that differ at each run. */
function stableParts(value: any): any {
  if (Array.isArray(value)) {
    return value.map(stableParts)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  const stable = Object.entries(value).filter(([key]) => key !== 'secret' && !/_time$/.test(key))
  return Object.fromEntries(stable.map(([key, item]) => [key, stableParts(item)]))
}

test.group('The fake Harbor', (group) => {
  let harbor: HarborServer

  group.setup(async () => {
    harbor = await HarborServer.start()
    return () => harbor.stop()
  })

  for (const [index, exchange] of readHarborExchanges().entries()) {
    if (!isSupported(exchange)) {
      continue
    }
    test(`responds as a real one did: ${index}, ${exchange.name}`, async ({ assert }) => {
      BEFORE[exchange.name]?.(harbor)
      skipIds(harbor, exchange)
      const answer = await replay(harbor, exchange)
      const text = await answer.text()
      assert.equal(answer.status, exchange.status, text)
      for (const name of ['location', 'x-total-count', 'link', 'content-type']) {
        assert.equal(answer.headers.get(name), exchange.responseHeaders?.[name] ?? null, name)
      }
      const recorded = exchange.response ? JSON.parse(exchange.response) : undefined
      const parsed = text === '' ? undefined : JSON.parse(text)
      if (answer.status >= 400) {
        assert.deepEqual(parsed?.errors[0].code, recorded?.errors[0].code)
      } else {
        assert.equal(parsed === undefined, recorded === undefined)
        assert.containsSubset(stableParts(recorded ?? {}), stableParts(parsed ?? {}))
        assert.equal('secret' in (parsed ?? {}), 'secret' in (recorded ?? {}))
      }
    })
  }
})
