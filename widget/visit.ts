// Who is chatting on this page, from one person to the next: each has a session and a part of the storage.
import type { Panel } from './panel.ts'
import { personOf } from './person.ts'
import { createSession } from './session.ts'
import { forgetStored, openStoredSession } from './stored-session.ts'
import type { Shell } from './types.ts'

type Screen = { panel: () => Panel; render: () => void; isOpen: () => boolean }

export const createVisit = (shell: Shell, { panel, render, isOpen }: Screen) => {
  const openStored = () => {
    const anonymous = openStoredSession(shell.channelId, null)
    if (person === null) return anonymous
    const own = openStoredSession(shell.channelId, person)
    own.adopt(anonymous)
    return own
  }
  const begin = () =>
    createSession(shell, stored, {
      render,
      view: panel,
      onForgotten: () => startOver(null),
      onRefused: refuse,
    })
  /** For another visitor: the person whom an identity names, or somebody unknown. */
  const startOver = (identity: string | null): void => {
    session.end()
    shell.identity = identity
    person = identity === null ? null : personOf(identity)
    stored = openStored()
    session = begin()
    panel().startOver(session.draft)
    render()
    if (isOpen() || stored.readToken() !== null) session.start()
  }
  /** Nobody is signed in, and what the page says about the visitor counts for nothing. */
  const refuse = (): void => {
    console.warn('Foyer: the identity was refused. It must be a valid JWT for this channel.')
    shell.name = ''
    shell.email = ''
    startOver(null)
    shell.emit('error', { code: 'IDENTITY_REFUSED' })
  }

  let person = shell.identity === null ? null : personOf(shell.identity)
  let stored = openStored()
  let session = begin()
  return {
    session: () => session,
    stored: () => stored,
    identify: (identity: string): void => {
      if (identity === shell.identity) return
      const named = personOf(identity)
      if (named === null) refuse()
      else if (named !== person) startOver(identity)
      else {
        shell.identity = identity
        session.identify(identity)
      }
    },
    reset: (): void => {
      forgetStored(shell.channelId, person)
      startOver(null)
    },
  }
}
