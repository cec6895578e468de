import { customRandom } from 'nanoid'

import { clock } from './clock.js'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const LENGTH = 21

/** An id where a UUID is not wanted: 108 random bits in letters that every name may consist of. */
export const newId = customRandom(ALPHABET, LENGTH, (bytes) => clock.random(bytes))
