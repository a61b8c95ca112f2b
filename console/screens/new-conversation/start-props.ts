import type { StartSenders } from '../../state/types.ts'

export type Person = { email?: string; phone?: string; name?: string }
export type StartProps = {
  sender: StartSenders['senders'][number]
  person: Person
  onStarted: (id: string) => void
}
