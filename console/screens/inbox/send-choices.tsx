// What the menu beside the send button offers; loaded when it is opened.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { setPreference, usePreferences } from '../../state/preferences.ts'
import { keys } from '../../state/query-keys.ts'
import { useSession } from '../../state/session.tsx'
import type { Session } from '../../state/types.ts'
import { MOD_ENTER } from '../../ui/kbd.tsx'
import { MenuChoice, MenuGroup, MenuLine } from '../../ui/menu.tsx'
import { toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'

const UNDO_SECONDS = [0, 5, 10, 20] as const
type UndoSeconds = (typeof UNDO_SECONDS)[number]

const SendChoices = ({ isEmail }: { isEmail: boolean }) => {
  const { api, session } = useSession()
  const client = useQueryClient()
  const { sendWith } = usePreferences()
  const save = useMutation({
    mutationFn: (undoSeconds: UndoSeconds) => api.put('/undo-seconds', { undoSeconds }),
    onSuccess: (_, undoSeconds) =>
      client.setQueryData<Session>(
        keys.session,
        (known) => known && { ...known, account: { ...known.account, undoSeconds } },
      ),
    onError: toastError,
  })
  return (
    <>
      {isEmail ? (
        <MenuGroup label={t`In emails: ${MOD_ENTER} to send, Enter for a new line`}>{null}</MenuGroup>
      ) : (
        <>
          <MenuChoice isChosen={sendWith === 'enter'} onSelect={() => setPreference({ sendWith: 'enter' })}>
            {t`Enter to send, Shift+Enter for a new line`}
          </MenuChoice>
          <MenuChoice
            isChosen={sendWith === 'mod+enter'}
            onSelect={() => setPreference({ sendWith: 'mod+enter' })}
          >
            {rich`${MOD_ENTER} to send, Enter for a new line`}
          </MenuChoice>
        </>
      )}
      <MenuLine />
      <MenuGroup label={t`Undo sending`}>
        {UNDO_SECONDS.map((seconds) => (
          <MenuChoice
            key={seconds}
            isChosen={session.account.undoSeconds === seconds}
            onSelect={() => save.mutate(seconds)}
          >
            {seconds === 0 ? t`Off: send at once` : t`For ${seconds} seconds`}
          </MenuChoice>
        ))}
      </MenuGroup>
    </>
  )
}
export default SendChoices
