import { test } from '@japa/runner'

import { AnalysisTokens } from '#node/gateway/tokens'

test.group('The token of an analysis', () => {
  test('the token stays valid while the analysis does not take a new one', async ({ assert }) => {
    const tokens = new AnalysisTokens('analysis')
    const first = await tokens.issue()
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await tokens.renew(() => Promise.reject(new Error('not accepted')))
    }
    assert.isTrue(tokens.accepts('node', first))
  })

  test('the token is accepted while it is handed over, and the one before until the next', async ({
    assert,
  }) => {
    const tokens = new AnalysisTokens('analysis')
    const first = await tokens.issue()
    const taken: string[] = []
    const renew = () =>
      tokens.renew(async (token) => {
        assert.isTrue(tokens.accepts('node', token))
        taken.push(token)
      })
    await renew()
    assert.isTrue(tokens.accepts('node', first))
    assert.isTrue(tokens.accepts('node', taken[0]!))
  })

  test('the token of data opens no route of the node', async ({ assert }) => {
    const tokens = new AnalysisTokens('analysis')
    await tokens.issue()
    assert.isTrue(tokens.accepts('data', tokens.data))
    assert.isFalse(tokens.accepts('node', tokens.data))
    assert.isFalse(new AnalysisTokens('other').accepts('data', tokens.data))
  })
})
