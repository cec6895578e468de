/** A process that only migrates the databases that its environment names. */
import { boot, shutDown } from '#tests/helpers/application'

await boot()
await shutDown()
