import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { test } from '@japa/runner'
import { chromium, type Browser } from 'playwright-core'

import { eventually } from '#tests/helpers/eventually'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { ConsoleVisit, type Theme } from '#tests/services/console/console_visit'
import {
  ADMINISTRATOR,
  ANALYST,
  makeHospitalRecords,
  type HospitalRecords,
} from '#tests/services/console/hospital_records'
import { OPERATOR, PlatformClient, type Person } from '#tests/services/console/platform_client'
import { locateChromium } from '#tests/services/servers/chromium'
import { freePort } from '#tests/services/servers/free_port'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'

const MAX_CLICKS = 3
const MAX_FIRST_BYTES = 80 * 1024
const TITLE = /^(\(\d+\) )?[^·]+ · Analysis Hub$/

/** Where pictures of all pages go, if somebody wants to look at them. */
const { SCREENSHOTS } = process.env
/** Of higher pages, only the beginning is taken. */
const MAX_PICTURE = 8_000

const LOOKS: readonly { theme: Theme; width: number }[] = [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 1440 },
  { theme: 'light', width: 390 },
  { theme: 'dark', width: 390 },
]

/** Pages that no person may miss, whatever else is linked. */
const PAGES = [
  '/admin/',
  '/admin/analyses',
  '/admin/analyses/:id',
  '/admin/analyses/:id/files',
  '/admin/analyses/:id/files/:id',
  '/admin/analyses/:id/log',
  '/admin/analyses/:id/timeline',
  '/admin/approvals/analysis/:id',
  '/admin/approvals/project/:id',
  '/admin/audit',
  '/admin/audit/events/:id',
  '/admin/audit/proof',
  '/admin/nodes',
  '/admin/nodes/:id',
  '/admin/people',
  '/admin/people/clients',
  '/admin/people/clients/:id',
  '/admin/people/permissions',
  '/admin/people/permissions/:id',
  '/admin/people/roles',
  '/admin/people/roles/:id',
  '/admin/people/users/:id',
  '/admin/projects',
  '/admin/projects/:id',
  '/admin/system',
  '/admin/system/dead',
]

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Pages of one kind look alike, so one of them is looked at. */
const kindOf = (path: string): string => path.split(/[?#]/)[0]!.replace(UUID, ':id')

test.group('The console in a browser', (group) => {
  let broker: RealServer
  let hub: HubProcesses
  let origin: string
  let browser: Browser
  let records: HospitalRecords
  let analyst: ConsoleVisit
  let administrator: ConsoleVisit
  let operator: ConsoleVisit
  let pages: ReadonlyMap<string, string>

  group.tap((one) => one.timeout(600_000))
  group.setup(async () => {
    broker = await startRabbitmq()
    const port = await freePort()
    origin = `http://localhost:${port}`
    const variables = { PORT: String(port), AMQP_URL: broker.url }
    hub = await HubProcesses.start('server', { variables })
    ;[records, browser] = await Promise.all([
      makeHospitalRecords(origin, broker.url),
      chromium.launch(await locateChromium()),
    ])
    ;[analyst, administrator, operator] = (await Promise.all(
      [ANALYST, ADMINISTRATOR, OPERATOR].map((person) => ConsoleVisit.open(browser, origin, person))
    )) as [ConsoleVisit, ConsoleVisit, ConsoleVisit]
    pages = await pagesOf(operator)
    return async () => {
      await browser.close()
      await hub.remove()
      await broker.stop()
    }
  })

  /** Pages of all kinds that links lead to, by their kind. */
  async function pagesOf(visit: ConsoleVisit): Promise<Map<string, string>> {
    const rich = `/admin/analyses/${records.executed}`
    const found = new Map(['/admin/', rich].map((path) => [kindOf(path), path]))
    for (const path of found.values()) {
      await visit.goto(path)
      for (const link of await visit.links()) {
        if (!found.has(kindOf(link))) {
          found.set(kindOf(link), link)
        }
      }
    }
    return found
  }

  /** What is wrong with the page that is open, however it is looked at. */
  async function faultsOf(visit: ConsoleVisit, name: string): Promise<string[]> {
    const faults: string[] = []
    for (const { theme, width } of LOOKS) {
      await visit.lookAs(theme, width)
      faults.push(...(await visit.overflow()))
      if ((theme === 'light') === width > 400) {
        faults.push(...(await visit.violations()))
      }
      await picture(visit, `${name}-${theme}-${width}`)
    }
    return faults
  }

  async function picture({ page }: ConsoleVisit, name: string): Promise<void> {
    if (SCREENSHOTS) {
      await mkdir(SCREENSHOTS, { recursive: true })
      const fullPage = (await page.evaluate<number>('document.body.scrollHeight')) < MAX_PICTURE
      await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage })
    }
  }

  const fileName = (kind: string) => kind.replace(/^\/|\/$|:/g, '').replaceAll('/', '-')

  test('every page fits, works with a screen reader, and is used by keyboard alone', async ({
    assert,
  }) => {
    assert.includeMembers([...pages.keys()], PAGES)
    const faults: string[] = []
    for (const [kind, path] of pages) {
      const response = await operator.goto(path)
      assert.equal(response!.status(), 200, path)
      assert.match(await operator.page.title(), TITLE, path)
      faults.push(...(await operator.keyboardFaults()))
      faults.push(...(await faultsOf(operator, `operator-${fileName(kind)}`)))
    }
    assert.deepEqual(faults, [])
    assert.deepEqual(operator.complaints, [])
  })

  test('what waits for a person looks as good: {title}')
    .with([
      {
        title: 'an analyst',
        visit: () => analyst,
        paths: () => ['/admin/', `/admin/analyses/${records.executed}`],
      },
      {
        title: 'an administrator',
        visit: () => administrator,
        paths: () => ['/admin/', '/admin/projects'],
      },
    ])
    .run(async ({ assert }, { title, visit, paths }) => {
      for (const path of paths()) {
        await visit().goto(path)
        const faults = await faultsOf(visit(), `${title.split(' ')[1]}-${fileName(kindOf(path))}`)
        assert.deepEqual(faults, [])
      }
      assert.deepEqual(visit().complaints, [])
    })

  test('the pages around it look as good: {path}')
    .with([
      { path: '/admin/sign-in?again=1' },
      { path: '/admin/signed-out' },
      { path: '/admin/callback' },
      { path: '/auth/account/' },
      { path: '/messenger/docs' },
      { path: '/' },
    ])
    .run(async ({ assert }, { path }) => {
      await analyst.goto(path)
      analyst.complaints.length = 0
      assert.deepEqual(await faultsOf(analyst, `around-${fileName(kindOf(path)) || 'landing'}`), [])
      assert.deepEqual(analyst.complaints, [])
    })

  test('the console can be read without scripts', async ({ assert }) => {
    const scriptless = { javaScriptEnabled: false }
    const reader = await ConsoleVisit.open(browser, origin, OPERATOR, scriptless)
    for (const path of pages.values()) {
      await reader.goto(path)
      assert.isNotEmpty(await reader.page.getByRole('heading', { level: 1 }).innerText(), path)
      assert.isAbove((await reader.page.getByRole('main').innerText()).length, 40, path)
    }
    await reader.context.close()
  })

  test('the first visit takes at most 80 KiB from the wire', async ({ assert }) => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const protocol = await context.newCDPSession(page)
    await protocol.send('Network.enable')
    let bytes = 0
    protocol.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    await context.addCookies(await operator.context.cookies())
    await page.goto(`${origin}/admin`)
    console.log(`The first visit takes ${bytes} bytes`)
    assert.isAbove(bytes, 5_000)
    assert.isAtMost(bytes, MAX_FIRST_BYTES)
    await context.close()
  })

  const core = async (person: Person, path: string) => {
    const client = await PlatformClient.signIn(origin, person)
    const { data } = await client.read(`/core${path}`)
    return data
  }

  /** The person has done a task, and did not click too often for it. */
  function requireFewClicks(visit: ConsoleVisit, task: string): void {
    console.log(`${task}: ${visit.clicks} clicks`)
    if (visit.clicks > MAX_CLICKS || visit.clicks === 0) {
      throw new Error(`${task} took ${visit.clicks} clicks`)
    }
  }

  test('an administrator approves', async ({ assert }) => {
    const { page } = administrator
    await administrator.begin()
    await administrator.link(/^Rehospitalisation/)
    await administrator.button('Approve')
    await page.getByRole('status').waitFor()
    requireFewClicks(administrator, 'approve')
    const parts = await core(ADMINISTRATOR, `/analysis-nodes?filter[analysisId]=${records.waiting}`)
    assert.include(
      parts.map((part: any) => part.approvalStatus),
      'approved'
    )
  })

  test('an administrator rejects, and says why', async ({ assert }) => {
    const { page } = administrator
    await administrator.begin()
    await administrator.link(/^sepsis-register/)
    await page.getByLabel('Reason, for').fill('We have no such patients')
    await administrator.button('Reject')
    await page.getByRole('status').waitFor()
    requireFewClicks(administrator, 'reject with a reason')
    const parts = await core(ADMINISTRATOR, '/project-nodes?filter[approvalStatus]=rejected')
    assert.equal(parts[0]?.comment, 'We have no such patients')
  })

  test('an analyst finds out why an analysis is stuck', async ({ assert }) => {
    const { page } = analyst
    await analyst.begin()
    await analyst.area('Analyses')
    await analyst.link('Days of ventilation')
    const explanation = page.getByRole('main')
    await explanation.getByText('No ethics vote yet').first().waitFor()
    requireFewClicks(analyst, 'find out why it is stuck')
    assert.include(await explanation.innerText(), 'No image is chosen.')
  })

  test('an operator rotates a secret', async ({ assert }) => {
    const { page } = operator
    await operator.begin()
    await operator.area('Nodes')
    await operator.link('hospital-east')
    await page.getByLabel('to confirm').fill('hospital-east')
    await operator.button(/^Replace the secret/)
    const shown = page.getByRole('main').locator('code')
    await shown.first().waitFor()
    requireFewClicks(operator, 'rotate a secret')
    const client = await PlatformClient.signIn(origin, OPERATOR)
    const { id, secret } = await client.read(`/core/nodes/${records.nodeId}/client/credentials`)
    assert.includeMembers(await shown.allInnerTexts(), [id, secret])
  })

  test('an operator redrives a dead letter', async ({ assert }) => {
    const { page } = operator
    await operator.begin()
    await operator.link(/could not be processed/)
    const [before] = await core(OPERATOR, '/admin/bus/dead')
    if (!page.url().includes('/dead')) {
      await operator.link(/dead letter/)
    }
    await operator.button('Redrive')
    await page.getByRole('status').waitFor()
    requireFewClicks(operator, 'redrive a dead letter')
    const after = await eventually(async () => (await core(OPERATOR, '/admin/bus/dead'))[0])
    assert.isAbove(Date.parse(after.diedAt), Date.parse(before.diedAt), 'it died again')
  })

  test('an operator finds who changed something', async ({ assert }) => {
    const { page } = operator
    await operator.begin()
    await operator.area('Audit')
    await page.getByLabel('Kind of record').selectOption({ label: 'Project' })
    await page.getByLabel('Record (name').fill('icu-outcomes')
    await operator.button('Show')
    await page
      .getByRole('row', { name: /created/ })
      .first()
      .waitFor()
    requireFewClicks(operator, 'find who changed it')
    assert.include(await page.getByRole('main').innerText(), 'ada')
  })

  test('an administrator sees that a node is away, and since when', async ({ assert }) => {
    const { page } = administrator
    const presence = await eventually(async () => {
      const one = await core(ADMINISTRATOR, `/nodes/${records.nodeId}/presence`)
      return !one.online && one
    })
    await administrator.begin()
    await administrator.area('Nodes')
    const row = page.getByRole('row', { name: /hospital-east/ })
    await row.getByText('Away').waitFor()
    requireFewClicks(administrator, 'see that a node is away')
    const since = await row.locator('time').first().getAttribute('datetime')
    assert.equal(Date.parse(since!), Date.parse(presence.since))
  })

  test('an analyst downloads a result', async ({ assert }) => {
    const { page } = analyst
    await analyst.begin()
    await analyst.area('Analyses')
    await analyst.link('Survival after sepsis')
    const download = page.waitForEvent('download')
    await analyst.link(/Download.*survival\.csv/)
    const file = await download
    requireFewClicks(analyst, 'download a result')
    assert.equal(file.suggestedFilename(), 'survival.csv')
    assert.equal(await text(await file.createReadStream()), 'days,alive\n30,0.93\n90,0.88\n')
  })
})
