import { test } from '@japa/runner'

import type {
  LinkedProject,
  RegistryDriver,
  ObsoleteProject,
  DesiredProject,
} from '#core/registries/registry_driver'

/** The registry project that the name of `wanted` belongs to. */
export const OWNER = '0f8fad5b-d9cb-469f-a165-70867728950e'

export const unwanted = (traits: Partial<ObsoleteProject> = {}): ObsoleteProject => ({
  name: 'a-project',
  owner: OWNER,
  accountId: null,
  isAdopted: false,
  ...traits,
})

export const wanted = (traits: Partial<DesiredProject> = {}): DesiredProject => ({
  name: 'a-project',
  owner: OWNER,
  isPublic: false,
  mayExist: true,
  adopts: false,
  account: null,
  newSecret: null,
  hook: { address: 'http://hub.example/services/registry/hook', authorization: 'Basic eDp5' },
  ...traits,
})

interface Subject {
  readonly driver: RegistryDriver
  stop(): Promise<void>
}

/** What every driver of registries has to pass: whatever is asked may be asked again. */
export function registryDriverSuite(name: string, open: () => Promise<Subject>): void {
  test.group(`Registry driver | ${name}`, (group) => {
    let driver: RegistryDriver

    group.each.setup(async () => {
      const subject = await open()
      driver = subject.driver
      return () => subject.stop()
    })

    test('a project that was never linked does not exist', async ({ assert }) => {
      assert.isNull(await driver.find(wanted()))
    })

    test('linking again changes nothing', async ({ assert }) => {
      const first: LinkedProject = await driver.link(wanted())
      assert.deepEqual(await driver.link(wanted({ account: first.account })), first)
    })

    test('an account is complete or missing', async ({ assert }) => {
      const { account } = await driver.link(wanted())
      assert.isTrue(account === null || Object.values(account).every((text) => text !== ''))
    })

    test('an unlinked project is removed, and can be unlinked again', async ({ assert }) => {
      const { account } = await driver.link(wanted())
      const project = unwanted({ accountId: account?.id ?? null })
      await driver.unlink(project)
      assert.isNull(await driver.find(wanted()))
      await driver.unlink(project)
    })

    test('a project that was never linked can be unlinked', async ({ assert }) => {
      await driver.unlink(unwanted({ name: 'another' }))
      assert.isNull(await driver.find(wanted({ name: 'another' })))
    })

    test('an unlinked project can be linked again', async ({ assert }) => {
      const { account } = await driver.link(wanted())
      await driver.unlink(unwanted({ accountId: account?.id ?? null }))
      const again = await driver.link(wanted({ account }))
      assert.equal(again.account === null, account === null)
    })
  })
}
