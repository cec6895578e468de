import { identity } from './identities.js'
import { at, boot, mountedAs } from './application.js'
import { testEnvironment } from './test_environment.js'

/** The program of `StorageProcess`: the platform, for one person whose id is told to it. */
testEnvironment()
await boot()
await mountedAs('together')
const { token } = identity({ id: process.env.PERSON_ID })
console.log(JSON.stringify({ base: at('storage', ''), token }))
