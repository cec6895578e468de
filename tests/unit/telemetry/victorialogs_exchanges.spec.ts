import { test } from '@japa/runner'

import { parseLogsql, NotSpoken } from '#tests/helpers/telemetry/victorialogs/logsql_parser'
import { VictoriaLogsStandIn } from '#tests/helpers/telemetry/victorialogs/stand_in'
import { readVictoriaLogsExchanges, type VictoriaLogsExchange } from '#tests/helpers/vectors'

/** The time of the recording, so that no line is too old. */
const RECORDED_AT = Date.parse('2026-11-22T03:00:00Z')

/** A server with other flags, or lines of other programs that are not in the recordings. */
const ELSEWHERE =
  /^(root|unknown path|auth |flush w|prefix|disk full|insert disabled|select disabled|tenants|bad tenant|memory limit|query too slow|delete|VL headers|args stored|arg msg|missing time field|tail|uniq|dedupe|edge|insert tenant|query (tenant|other|AccountID)|duplicate key|insert too old|label with colon|bad quote|insert urlencoded|insert deflate|query gz|chunked|label names)/

/** Lines were not visible yet, or have a duplicate key, which JSON cannot express. */
const BY_CHANCE = [
  'query all test=b',
  'query onlymsg',
  'query odd',
  'debug arg',
  'eq big',
  'eq empty not exists',
]

const isPlayed = ({ name, path }: VictoriaLogsExchange) =>
  !ELSEWHERE.test(name) && !BY_CHANCE.includes(name) && isSpoken(path)

function isSpoken(path: string): boolean {
  const url = new URL(path, 'http://server')
  const query = url.searchParams.get('query')
  try {
    return (
      !['start', 'end', 'debug'].some((name) => url.searchParams.has(name)) &&
      (query === null || Boolean(parseLogsql(query)))
    )
  } catch (error) {
    if (error instanceof NotSpoken) {
      return false
    }
    throw error
  }
}

test.group('Recorded exchanges with VictoriaLogs', (group) => {
  let standIn: VictoriaLogsStandIn

  group.setup(async () => {
    standIn = await VictoriaLogsStandIn.start({ now: () => RECORDED_AT })
    return () => standIn.stop()
  })

  const played = readVictoriaLogsExchanges().filter(isPlayed)

  test('the exchanges are mostly played', ({ assert }) => {
    assert.isAbove(played.length, 90)
  })

  for (const { name, method, path, headers, body, bodyBase64, status, response } of played) {
    test(`${name} is answered as by the real server`, async ({ assert }) => {
      const answer = await fetch(standIn.url + path, {
        method,
        headers,
        body:
          method === 'GET'
            ? undefined
            : Buffer.from(bodyBase64 ?? body ?? '', bodyBase64 ? 'base64' : 'utf8'),
      })
      assert.equal(answer.status, status)
      const text = await answer.text()
      if (status === 200) {
        assert.sameDeepMembers(rowsOf(text), rowsOf(response))
      }
    })
  }

  test('what resembles none of them is refused', async ({ assert }) => {
    const before = standIn.strange.length
    for (const path of [
      '/select/logsql/query?query=level:i("INFO")',
      '/select/logsql/query?query=* | uniq by (x)',
      '/select/logsql/query?query=*&nonsense=1',
      '/select/logsql/tail?query=*',
      '/select/elsewhere',
    ]) {
      assert.equal((await fetch(standIn.url + encodeURI(path))).status, 501, path)
    }
    const sent = await fetch(`${standIn.url}/insert/jsonline`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: 'a,b',
    })
    assert.equal(sent.status, 501)
    assert.lengthOf(standIn.strange, before + 6)
  })
})

/** Ids of streams are the server's own. */
function rowsOf(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      if (!line.startsWith('{')) {
        return line
      }
      const { _stream_id: id, ...row } = JSON.parse(line)
      return row
    })
}
