// What notifications and their emails say, in the languages of the console. See accounts/schema.ts.
import type { Language } from '../accounts/schema.ts'

export type Words = {
  automation: string
  someone: string
  assigned: (who: string) => string
  assignedMany: (who: string, count: number) => string
  mentioned: (who: string) => string
  inConversation: (customer: string) => string
  newMessage: string
  inTeam: (customer: string) => string
  unassigned: (customer: string) => string
  needsReply: string
  overdue: string
  manyInTeams: (count: number) => string
  manyOverdue: (count: number) => string
  manyUnassigned: (count: number) => string
  mail: {
    subject: (workspace: string, count: number) => string
    assigned: (who: string) => string
    assignedWith: (who: string, others: number) => string
    mentioned: (who: string) => string
    newMessages: (count: number) => string
    inTeam: string
    overdue: string
    unassigned: string
    more: (count: number) => string
    /** Before the address of the settings. */
    why: string
  }
}

const one = (count: number, single: string, many: string): string => (count === 1 ? single : many)

export const WORDS: Record<Language, Words> = {
  en: {
    automation: 'Automation',
    someone: 'Someone',
    assigned: (who) => `${who} assigned this conversation to you`,
    assignedMany: (who, count) => `${who} assigned ${count} conversations to you`,
    mentioned: (who) => `${who} mentioned you`,
    inConversation: (customer) => `In ${customer}’s conversation`,
    newMessage: 'New message',
    inTeam: (customer) => `${customer} (your team)`,
    unassigned: (customer) => `${customer} (unassigned)`,
    needsReply: 'A conversation needs a reply',
    overdue: 'The reply is overdue',
    manyInTeams: (count) => `${count} conversations are unassigned in your teams`,
    manyOverdue: (count) => `${count} replies are overdue`,
    manyUnassigned: (count) => `${count} conversations are unassigned`,
    mail: {
      subject: (workspace, count) =>
        `${workspace}: ${one(count, 'a conversation is', `${count} conversations are`)} waiting for you`,
      assigned: (who) => `${who} assigned this to you`,
      assignedWith: (who, others) =>
        `${who} assigned this and ${one(others, 'one other', `${others} others`)} to you`,
      mentioned: (who) => `${who} mentioned you in a note`,
      newMessages: (count) => one(count, 'new message', `${count} new messages`),
      inTeam: 'unassigned in your team, and nobody has replied',
      overdue: 'the reply is overdue',
      unassigned: 'unassigned, and nobody has replied',
      more: (count) => `And ${one(count, 'one more', `${count} more`)}`,
      why: 'You get this email because you weren’t online. Change when you’re notified, or turn these emails off:',
    },
  },
  de: {
    automation: 'Automatisierung',
    someone: 'Jemand',
    assigned: (who) => `${who} hat Ihnen diese Konversation zugewiesen`,
    assignedMany: (who, count) => `${who} hat Ihnen ${count} Konversationen zugewiesen`,
    mentioned: (who) => `${who} hat Sie erwähnt`,
    inConversation: (customer) => `In der Konversation mit ${customer}`,
    newMessage: 'Neue Nachricht',
    inTeam: (customer) => `${customer} (Ihr Team)`,
    unassigned: (customer) => `${customer} (nicht zugewiesen)`,
    needsReply: 'Eine Konversation braucht eine Antwort',
    overdue: 'Die Antwort ist überfällig',
    manyInTeams: (count) => `${count} Konversationen in Ihren Teams sind nicht zugewiesen`,
    manyOverdue: (count) => `${count} Antworten sind überfällig`,
    manyUnassigned: (count) => `${count} Konversationen sind nicht zugewiesen`,
    mail: {
      subject: (workspace, count) =>
        `${workspace}: ${one(count, 'eine Konversation wartet', `${count} Konversationen warten`)} auf Sie`,
      assigned: (who) => `${who} hat sie Ihnen zugewiesen`,
      assignedWith: (who, others) =>
        `${who} hat Ihnen diese und ${one(others, 'eine weitere', `${others} weitere`)} zugewiesen`,
      mentioned: (who) => `${who} hat Sie in einer Notiz erwähnt`,
      newMessages: (count) => one(count, 'neue Nachricht', `${count} neue Nachrichten`),
      inTeam: 'in Ihrem Team nicht zugewiesen, und niemand hat geantwortet',
      overdue: 'die Antwort ist überfällig',
      unassigned: 'nicht zugewiesen, und niemand hat geantwortet',
      more: (count) => `Und ${one(count, 'eine weitere', `${count} weitere`)}`,
      why: 'Sie erhalten diese E-Mail, weil Sie nicht online waren. Hier ändern Sie, wann Sie benachrichtigt werden, oder schalten diese E-Mails aus:',
    },
  },
  es: {
    automation: 'Automatización',
    someone: 'Alguien',
    assigned: (who) => `${who} te asignó esta conversación`,
    assignedMany: (who, count) => `${who} te asignó ${count} conversaciones`,
    mentioned: (who) => `${who} te mencionó`,
    inConversation: (customer) => `En la conversación con ${customer}`,
    newMessage: 'Mensaje nuevo',
    inTeam: (customer) => `${customer} (tu equipo)`,
    unassigned: (customer) => `${customer} (sin asignar)`,
    needsReply: 'Una conversación necesita respuesta',
    overdue: 'La respuesta va con retraso',
    manyInTeams: (count) => `${count} conversaciones de tus equipos están sin asignar`,
    manyOverdue: (count) => `${count} respuestas van con retraso`,
    manyUnassigned: (count) => `${count} conversaciones están sin asignar`,
    mail: {
      subject: (workspace, count) =>
        `${workspace}: ${one(count, 'una conversación te espera', `${count} conversaciones te esperan`)}`,
      assigned: (who) => `${who} te la asignó`,
      assignedWith: (who, others) => `${who} te asignó esta y ${one(others, 'otra más', `${others} más`)}`,
      mentioned: (who) => `${who} te mencionó en una nota`,
      newMessages: (count) => one(count, 'mensaje nuevo', `${count} mensajes nuevos`),
      inTeam: 'sin asignar en tu equipo, y nadie ha respondido',
      overdue: 'la respuesta va con retraso',
      unassigned: 'sin asignar, y nadie ha respondido',
      more: (count) => `Y ${one(count, 'una más', `${count} más`)}`,
      why: 'Recibes este correo porque no estabas en línea. Cambia cuándo recibes avisos o desactiva estos correos:',
    },
  },
  fr: {
    automation: 'Automatisation',
    someone: 'Quelqu’un',
    assigned: (who) => `${who} vous a attribué cette conversation`,
    assignedMany: (who, count) => `${who} vous a attribué ${count} conversations`,
    mentioned: (who) => `${who} vous a mentionné`,
    inConversation: (customer) => `Dans la conversation avec ${customer}`,
    newMessage: 'Nouveau message',
    inTeam: (customer) => `${customer} (votre équipe)`,
    unassigned: (customer) => `${customer} (non attribuée)`,
    needsReply: 'Une conversation attend une réponse',
    overdue: 'La réponse est en retard',
    manyInTeams: (count) => `${count} conversations de vos équipes ne sont pas attribuées`,
    manyOverdue: (count) => `${count} réponses sont en retard`,
    manyUnassigned: (count) => `${count} conversations ne sont pas attribuées`,
    mail: {
      subject: (workspace, count) =>
        `${workspace} : ${one(count, 'une conversation vous attend', `${count} conversations vous attendent`)}`,
      assigned: (who) => `${who} vous l’a attribuée`,
      assignedWith: (who, others) =>
        `${who} vous a attribué celle-ci et ${one(others, 'une autre', `${others} autres`)}`,
      mentioned: (who) => `${who} vous a mentionné dans une note`,
      newMessages: (count) => one(count, 'nouveau message', `${count} nouveaux messages`),
      inTeam: 'non attribuée dans votre équipe, et personne n’a répondu',
      overdue: 'la réponse est en retard',
      unassigned: 'non attribuée, et personne n’a répondu',
      more: (count) => `Et ${one(count, 'une autre', `${count} autres`)}`,
      why: 'Vous recevez cet e-mail car vous n’étiez pas en ligne. Choisissez quand être averti, ou désactivez ces e-mails :',
    },
  },
  pt: {
    automation: 'Automação',
    someone: 'Alguém',
    assigned: (who) => `${who} atribuiu esta conversa a você`,
    assignedMany: (who, count) => `${who} atribuiu ${count} conversas a você`,
    mentioned: (who) => `${who} mencionou você`,
    inConversation: (customer) => `Na conversa com ${customer}`,
    newMessage: 'Nova mensagem',
    inTeam: (customer) => `${customer} (sua equipe)`,
    unassigned: (customer) => `${customer} (não atribuída)`,
    needsReply: 'Uma conversa precisa de resposta',
    overdue: 'A resposta está atrasada',
    manyInTeams: (count) => `${count} conversas das suas equipes não estão atribuídas`,
    manyOverdue: (count) => `${count} respostas estão atrasadas`,
    manyUnassigned: (count) => `${count} conversas não estão atribuídas`,
    mail: {
      subject: (workspace, count) =>
        `${workspace}: ${one(count, 'uma conversa espera', `${count} conversas esperam`)} por você`,
      assigned: (who) => `${who} atribuiu a você`,
      assignedWith: (who, others) =>
        `${who} atribuiu esta e ${one(others, 'mais uma', `mais ${others}`)} a você`,
      mentioned: (who) => `${who} mencionou você em uma nota`,
      newMessages: (count) => one(count, 'nova mensagem', `${count} novas mensagens`),
      inTeam: 'não atribuída na sua equipe, e ninguém respondeu',
      overdue: 'a resposta está atrasada',
      unassigned: 'não atribuída, e ninguém respondeu',
      more: (count) => `E ${one(count, 'mais uma', `mais ${count}`)}`,
      why: 'Você recebe este e-mail porque não estava online. Mude quando é avisado ou desligue estes e-mails:',
    },
  },
}

/** Of a person who never opened the console: English. */
export const wordsIn = (language: string | null): Words =>
  language !== null && Object.hasOwn(WORDS, language) ? WORDS[language as Language] : WORDS.en
