import { identity } from '#tests/helpers/identities'
import { at, boot, mountedAs } from '#tests/helpers/application'
import { testEnvironment } from '#tests/helpers/test_environment'

/** The program of `StorageProcess`: the platform, for one person whose id is told to it. */
testEnvironment()
await boot()
await mountedAs('together')
const { token } = identity({ id: process.env.PERSON_ID })
console.log(JSON.stringify({ base: at('storage', ''), token }))
