import vine from '@vinejs/vine'

import { shape } from '#kernel/shape'

const MAX_PATH_LENGTH = 256

const NOT_ABSOLUTE_OR_PARENT = String.raw`(?!\/)(?!(?:.*[\/\\])?\.\.(?:[\/\\]|$))`
const NO_EMPTY_PART = String.raw`(?!.*\/\/)(?!.*\/$)(?!(?:.*\/)?\.$)`
const WITHOUT_CONTROLS = String.raw`[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+`

/** As storage accepts them, without empty parts: otherwise two paths could be unpacked to the same file. */
const FILE_PATH = {
  pattern: new RegExp(`^${NOT_ABSOLUTE_OR_PARENT}${NO_EMPTY_PART}${WITHOUT_CONTROLS}$`),
  description:
    'A path begins and ends with a name and has no empty part, no part ".." and no characters that control a terminal or the direction of text',
}

/** The path of a file in a bucket. */
export const filePath = () => vine.string().maxLength(MAX_PATH_LENGTH).use(shape(FILE_PATH))
