// Beside a person's reply: a new saved answer, made from it and the question before it.
import { useNavigate } from '@tanstack/react-router'
import { BookPlus } from 'lucide-react'
import { useSession } from '../../state/session.tsx'
import type { Message } from '../../state/types.ts'
import { IconButton } from '../../ui/button.tsx'
import { t } from '../../words/t.ts'
import { metaOf } from './metadata.ts'

const MakeAnswer = ({ message }: { message: Message }) => {
  const { can } = useSession()
  const navigate = useNavigate()
  const isPersons = !message.senderId.startsWith('api:') && !metaOf(message).isDeleted
  return (
    can('manage_knowledge') &&
    isPersons &&
    message.body !== '' && (
      <span className="message__action">
        <IconButton
          icon={BookPlus}
          size="small"
          label={t`Make this an answer`}
          onClick={() =>
            void navigate({
              to: '/knowledge/$kind/$itemId',
              params: { kind: 'answers', itemId: 'new' },
              search: { reply: message.id },
            })
          }
        />
      </span>
    )
  )
}
export default MakeAnswer
