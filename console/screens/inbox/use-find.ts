// Looking for words in the open conversation; find-bar.tsx, which is loaded then, does it.
import { Search } from 'lucide-react'
import { type ContextType, useState } from 'react'
import { useCommands } from '../../state/commands.ts'
import type { MarksContext } from '../../ui/marked-text.tsx'
import { t } from '../../words/t.ts'

/** `find` is what is looked for, by the URL. */
export const useFind = (find: string | undefined) => {
  const [isAsked, setAsked] = useState(false)
  const [foundId, setFoundId] = useState<string | null>(null)
  const [marks, setMarks] = useState<{ find: ContextType<typeof MarksContext> }>({ find: null })
  useCommands([
    {
      id: 'find',
      label: t`Find in conversation`,
      group: t`Conversation`,
      keys: 'mod+f',
      icon: Search,
      whileTyping: true,
      run: () => {
        setAsked(true)
        document.querySelector<HTMLInputElement>('.find-bar input')?.select()
      },
    },
  ])
  const isOpen = isAsked || find !== undefined
  return {
    isOpen,
    isAsked,
    setAsked,
    foundId: isOpen ? foundId : null,
    setFoundId,
    marks: marks.find,
    setMarks,
  }
}

export type Finding = ReturnType<typeof useFind>
