/** Why a file or page can't be read, in words for the person who added it. */
export type ReadProblem = { code: string; message: string }

export class Unreadable extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'Unreadable'
    this.code = code
  }
}
