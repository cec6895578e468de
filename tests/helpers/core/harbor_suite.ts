import { test } from '@japa/runner'

import type {
  LinkedProject,
  RegistryDriver,
  ObsoleteProject,
  DesiredProject,
} from '#core/registries/registry_driver'

/** The registry project that the name of `wanted` belongs to. */
export const OWNER = '0f8fad5b-d9cb-469f-a165-70867728950e'

export const obsoleteProject = (traits: Partial<ObsoleteProject> = {}): ObsoleteProject => ({
  name: 'a-project',
  owner: OWNER,
  accountId: null,
  isAdopted: false,
  ...traits,
})

export const desiredProject = (traits: Partial<DesiredProject> = {}): DesiredProject => ({
  name: 'a-project',
  owner: OWNER,
  isPublic: false,
  mayExist: true,
  isAdopted: false,
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

/** The suite of all registry drivers. All operations are idempotent. */
export function registryDriverSuite(name: string, open: () => Promise<Subject>): void {
  test.group(`Registry driver | ${name}`, (group) => {
    let driver: RegistryDriver

    group.each.setup(async () => {
      const subject = await open()
      driver = subject.driver
      return () => subject.stop()
    })

    test('a project that was never linked does not exist', async ({ assert }) => {
      assert.isNull(await driver.find(desiredProject()))
    })

    test('linking again changes nothing', async ({ assert }) => {
      const first: LinkedProject = await driver.link(desiredProject())
      assert.deepEqual(await driver.link(desiredProject({ account: first.account })), first)
    })

    test('an account is complete or missing', async ({ assert }) => {
      const { account } = await driver.link(desiredProject())
      assert.isTrue(account === null || Object.values(account).every((text) => text !== ''))
    })

    test('an unlinked project is removed, and can be unlinked again', async ({ assert }) => {
      const { account } = await driver.link(desiredProject())
      const project = obsoleteProject({ accountId: account?.id ?? null })
      await driver.unlink(project)
      assert.isNull(await driver.find(desiredProject()))
      await driver.unlink(project)
    })

    test('a project that was never linked can be unlinked', async ({ assert }) => {
      await driver.unlink(obsoleteProject({ name: 'another' }))
      assert.isNull(await driver.find(desiredProject({ name: 'another' })))
    })

    test('an unlinked project can be linked again', async ({ assert }) => {
      const { account } = await driver.link(desiredProject())
      await driver.unlink(obsoleteProject({ accountId: account?.id ?? null }))
      const again = await driver.link(desiredProject({ account }))
      assert.equal(again.account === null, account === null)
    })
  })
}
