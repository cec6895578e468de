import { test } from '@japa/runner'

import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'
import { call, person, reported, Scene, set } from '#tests/functional/core/analysis_scene'
import { at } from '#tests/helpers/application'
import { ConsoleVisitor, unescaped } from '#tests/helpers/console/console_visitor'

const SCRIPT = '<script>alert("1")</script>'

test.group('Needs you, and decisions', (group) => {
  let scene: Scene
  let analysis: Attributes
  let part: Attributes

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis({ displayName: 'Survival of mice', description: SCRIPT })
    part = await scene.assigned(analysis)
    await scene.codeFile(await codeBucket(), { path: 'main.py', root: true })
  })

  const codeBucket = async () => {
    const { body } = await call(
      scene.researcher(),
      'GET',
      `/analysis-buckets?filter[analysisId]=${analysis.id}&filter[type]=CODE`
    )
    return body.data[0] ?? scene.bucket(analysis)
  }

  const steward = (permissions?: string[]) =>
    ConsoleVisitor.as({
      realmId: scene.realms.node,
      realmName: 'a-site',
      ...(permissions && { permissions }),
    })

  const path = () => `/approvals/analysis/${part.id}`

  test('the realm of the node sees what waits, counted in the title', async ({ assert }) => {
    const page = await steward().open('/')
    assert.equal(page.status, 200)
    assert.match(page.title, /^\(1\) Needs you/)
    assert.include(page.text, 'Survival of mice')
  })

  test('other realms, and users who may not decide, see nothing of it', async ({ assert }) => {
    const foreign = ConsoleVisitor.as({ realmId: scene.realms.foreign, realmName: 'elsewhere' })
    for (const visitor of [foreign, steward(['analysis_update'])]) {
      const page = await visitor.open('/')
      assert.notInclude(page.text, 'Survival of mice')
      const decision = await visitor.open(path())
      assert.notInclude(decision.text, 'name="verdict"')
    }
  })

  test('a decision shows code, digest and the commands, and names are text', async ({ assert }) => {
    const { text } = await steward().open(path())
    const { body } = await call(scene.steward(), 'GET', `/analyses/${analysis.id}/content`)
    assert.include(text, body.data.digest)
    assert.include(text, 'main.py')
    assert.include(unescaped(text), `hubctl analysis approve ${analysis.name} --node`)
    assert.include(unescaped(text), `hubctl analysis reject ${analysis.name} --node`)
    assert.notInclude(text, SCRIPT)
    assert.include(unescaped(text), SCRIPT)
  })

  test('approves with a reason, under the name of the user', async ({ assert }) => {
    const visitor = steward()
    const page = await visitor.open(path())
    const done = await visitor.submit(page, path(), { comment: 'agreed by the board' })
    assert.equal(done.status, 303)
    const after = await visitor.follow(done)
    assert.include(after.text, 'It is approved.')
    assert.notInclude((await visitor.open(path())).text, 'It is approved.', 'Only once')
    const { body } = await call(scene.steward(), 'GET', `/analysis-nodes/${part.id}`)
    assert.equal(body.data.approvalStatus, 'approved')
    assert.equal(body.data.comment, 'agreed by the board')
  })

  test('nothing is approved whose content changed after the page was read', async ({ assert }) => {
    const visitor = steward()
    const page = await visitor.open(path())
    await scene.codeFile(await codeBucket(), { path: 'other.py' })
    const refused = await visitor.submit(page, path())
    assert.equal(refused.status, 409)
    assert.include(refused.text, 'changed since you read it')
    const { body } = await call(scene.steward(), 'GET', `/analysis-nodes/${part.id}`)
    assert.isNull(body.data.approvalStatus)
  })

  test('nothing is approved without the digest of what was shown', async ({ assert }) => {
    const visitor = steward()
    const page = await visitor.open(path())
    const refused = await visitor.submit(page, path(), {
      verdict: 'approved',
      contentDigest: '',
    })
    assert.equal(refused.status, 400)
    const { body } = await call(scene.steward(), 'GET', `/analysis-nodes/${part.id}`)
    assert.isNull(body.data.approvalStatus)
  })

  test('what changed since the last decision is shown, whatever others reported', async ({
    assert,
  }) => {
    const visitor = steward(['analysis_approve'])
    const first = await visitor.open(path())
    assert.notInclude(first.text, 'What changed since the last decision')
    assert.equal((await visitor.submit(first, path(), { verdict: 'rejected' })).status, 303)
    const unchanged = await visitor.open(path())
    assert.include(unchanged.text, 'What changed since the last decision')
    assert.include(unchanged.text, 'Nothing.')
    await scene.codeFile(await codeBucket(), { path: 'added.py' })
    const event = {
      scope: 'entity',
      name: 'updated',
      refType: 'analysisNode',
      refId: part.id,
      realmId: scene.realms.node,
      data: { diff: { approvalStatus: { previous: null, next: 'approved' } } },
    }
    const reports = [
      event,
      {
        ...event,
        refType: 'analysis',
        refId: analysis.id,
        data: { diff: { imageCommandArguments: { previous: 'no JSON', next: null } } },
      },
    ]
    for (const body of reports) {
      const { headers } = scene.admin()
      const response = await fetch(at('telemetry', '/events'), {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      assert.equal(response.status, 201, await response.text())
    }
    const page = await visitor.open(path())
    assert.equal(page.status, 200)
    assert.include(page.text, '+ added.py')
    assert.include(page.text, '/files?type=CODE')
  })

  test('a project is decided the same way', async ({ assert }) => {
    await scene.member(null)
    const visitor = steward()
    const overview = await visitor.open('/')
    const [link] = /\/approvals\/project\/[\w-]+/.exec(overview.text)!
    const page = await visitor.open(link)
    assert.include(page.text, 'takes part in the project')
    const done = await visitor.submit(page, link, { verdict: 'rejected', comment: 'not now' })
    assert.equal(done.status, 303)
    assert.include((await visitor.follow(done)).text, 'It is rejected.')
  })

  test('members of the master realm are warned that they decide for another', async ({
    assert,
  }) => {
    const visitor = ConsoleVisitor.as()
    const page = await visitor.open(path())
    assert.include(page.text, 'the audit trail records that you did it on its behalf')
  })

  test('failed analyses say what they need', async ({ assert }) => {
    await set('analyses', analysis.id, { build_status: 'failed' })
    const researcher = person(scene.realms.project)
    const visitor = new ConsoleVisitor()
    visitor.become({ accessToken: researcher.token })
    const page = await visitor.open('/')
    assert.equal(page.status, 200)
    assert.include(page.text, 'Survival of mice')
    assert.include(page.text, 'build failed')
  })

  test('a failed distribution says so, with its problem as text', async ({ assert }) => {
    await reported(analysis.id, { process: 'distribution', status: 'failed', problem: SCRIPT })
    const visitor = new ConsoleVisitor()
    visitor.become({ accessToken: person(scene.realms.project).token })
    const page = await visitor.open('/')
    assert.match(page.title, /^\(1\) Needs you/)
    assert.include(page.text, 'distribution failed')
    assert.include(unescaped(page.text), SCRIPT)
    assert.notInclude(page.text, SCRIPT)
  })

  test('what does not exist is a page with 404', async ({ assert }) => {
    const visitor = steward()
    for (const wrong of [
      `/approvals/analysis/${clock.uuid()}`,
      '/approvals/analysis/none',
      `/approvals/other/${part.id}`,
      `/nodes/${clock.uuid()}`,
    ]) {
      const page = await visitor.open(wrong)
      assert.equal(page.status, 404, wrong)
      assert.include(page.headers.get('content-type'), 'text/html')
    }
  })
})
