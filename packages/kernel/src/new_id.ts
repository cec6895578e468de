import { customRandom } from 'nanoid'

import { clock } from './clock.js'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const LENGTH = 21

/** An id where no UUID is required: 108 random bits in lowercase letters and digits. */
export const newId = customRandom(ALPHABET, LENGTH, (bytes) => clock.random(bytes))
