import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/* Preloaded by a program whose ids are the same in every run, as far as the same happens, and in the order in which they are made. */
let made = 0

crypto.randomUUID = () => `00000000-0000-4000-8000-${(++made).toString(16).padStart(12, '0')}`

syncBuiltinESMExports()
