// What customers say about matters that no automatic reply may take on. Whole phrases, as they are typed: a single word
// like "lawyer" or "dead" is in too many harmless sentences.

/** Somebody may harm themselves. English, German, Spanish, Portuguese, French, Italian, Dutch, Polish, Turkish, Russian, Ukrainian, Arabic, Chinese, Japanese, Hindi. */
export const SELF_HARM =
  'kill myself|killing myself|end my life|ending my life|take my own life|taking my own life|want to die|wanna die|wish i was dead|wish i were dead|' +
  'better off dead|better off without me|suicidal|commit suicide|committing suicide|thinking about suicide|thinking of suicide|suicide note|want to hurt myself|wanna hurt myself|going to hurt myself|hurting myself|harm myself|harming myself|' +
  'cut myself on purpose|cutting myself|no reason to live|nothing to live for|dont want to live anymore|dont want to live any more|dont want to be alive|cant go on living|overdose on|' +
  'mich umbringen|mich umzubringen|mir das leben nehmen|mein leben beenden|meinem leben ein ende|will sterben|möchte sterben|will nicht mehr leben|möchte nicht mehr leben|nicht mehr leben will|nicht mehr leben möchte|suizidgedanken|selbstmordgedanken|suizid begehen|selbstmord begehen|' +
  'mich selbst verletzen|mich ritzen|ritze mich|mir etwas antun|mir was antun|keinen grund mehr zu leben|lieber tot|' +
  'quiero morir|quiero morirme|quisiera morir|me quiero morir|quiero matarme|voy a matarme|suicidarme|me voy a matar|quitarme la vida|acabar con mi vida|terminar con mi vida|no quiero vivir|no quiero seguir viviendo|quiero hacerme daño|voy a hacerme daño|ganas de hacerme daño|cortarme las venas|pensamientos suicidas|' +
  'quero morrer|queria morrer|quero me matar|vou me matar|tirar minha vida|tirar a minha vida|acabar com minha vida|acabar com a minha vida|suicidar|não quero mais viver|não quero viver|quero me machucar|quero me cortar|estou me cortando|pensamentos suicidas|' +
  'veux mourir|envie de mourir|me suicider|veux me tuer|vais me tuer|mettre fin à mes jours|mettre fin à ma vie|en finir avec la vie|plus envie de vivre|veux plus vivre|pensées suicidaires|idées suicidaires|envie de me faire du mal|veux me faire du mal|vais me faire du mal|me mutiler|' +
  'voglio morire|vorrei morire|voglio uccidermi|suicidarmi|voglio ammazzarmi|togliermi la vita|farla finita|non voglio più vivere|voglio farmi del male|pensieri suicidi|' +
  'wil dood|wil sterven|mezelf van kant|zelfmoord plegen|mezelf doden|een einde aan mijn leven|wil niet meer leven|mezelf pijn doen|mezelf snijden|zelfmoordgedachten|suïcidale|' +
  'chcę umrzeć|chce umrzec|zabić się|zabiję się|popełnić samobójstwo|odebrać sobie życie|nie chcę żyć|nie chce zyc|skrzywdzić się|myśli samobójcze|' +
  'ölmek istiyorum|intihar etmek|intihar edeceğim|kendimi öldürmek|kendimi öldüreceğim|yaşamak istemiyorum|canıma kıymak|kendime zarar|' +
  'хочу умереть|покончить с собой|покончу с собой|убить себя|убью себя|не хочу жить|наложить на себя руки|хочу сдохнуть|мысли о самоубийстве|совершить самоубийство|' +
  'хочу померти|покінчити з собою|вбити себе|вкоротити собі віку|не хочу жити|накласти на себе руки|думки про самогубство|' +
  'اريد ان اموت|أريد أن أموت|أريد الموت|الانتحار|انتحر|أنتحر|أقتل نفسي|إنهاء حياتي|لا أريد العيش|إيذاء نفسي|' +
  '想自杀|要自杀|想自殺|不想活了|结束生命|結束生命|死にたい|自殺したい|消えてしまいたい|मरना चाहता|मरना चाहती|आत्महत्या|जीना नहीं चाहता|जीना नहीं चाहती'

/** Somebody's body or health. */
export const MEDICAL =
  'side effects|is it safe during pregnancy|safe while pregnant|safe for pregnant|while breastfeeding|what dosage|which dosage|what dose should|how many pills|how many tablets|can i take it with my|interact with my medication|' +
  'my medication|my doctor prescribed|chest pain|chest pains|cant breathe|cannot breathe|trouble breathing|difficulty breathing|allergic reaction|anaphylaxis|anaphylactic|took too many|took too much|i swallowed|son swallowed|daughter swallowed|child swallowed|baby swallowed|is it poisonous|poisoned|unconscious|' +
  'having a seizure|heart attack|having a stroke|bleeding badly|wont stop bleeding|medical advice|medical emergency|should i see a doctor|do i have cancer|what are my symptoms|my symptoms|' +
  'nebenwirkungen|in der schwangerschaft|während der schwangerschaft|in der stillzeit|welche dosierung|wie viele tabletten|mit meinen medikamenten|meine medikamente|brustschmerzen|bekomme keine luft|keine luft mehr|atemnot|allergische reaktion|allergischer schock|' +
  'habe verschluckt|kind hat verschluckt|sohn hat verschluckt|tochter hat verschluckt|vergiftet|vergiftung|bewusstlos|herzinfarkt|schlaganfall|medizinischen rat|medizinischer notfall|meine symptome|überdosis|' +
  'efectos secundarios|durante el embarazo|estoy embarazada y|durante la lactancia|qué dosis|cuántas pastillas|con mi medicación|mi medicación|dolor en el pecho|dolor de pecho|no puedo respirar|me cuesta respirar|reacción alérgica|me he tragado|mi hijo se ha tragado|mi hija se ha tragado|mi hijo se tragó|mi hija se tragó|mi bebé se tragó|intoxicado|intoxicada|' +
  'envenenado|está inconsciente|ataque al corazón|infarto|consejo médico|emergencia médica|mis síntomas|sobredosis|' +
  'efeitos colaterais|efeitos secundários|durante a gravidez|na gravidez|estou grávida e|durante a amamentação|qual a dose|qual a dosagem|quantos comprimidos|com meu remédio|dor no peito|não consigo respirar|falta de ar|reação alérgica|filho engoliu|filha engoliu|bebê engoliu|intoxicação|envenenado|' +
  'desmaiou|ataque cardíaco|orientação médica|emergência médica|meus sintomas|overdose|' +
  'effets secondaires|effets indésirables|pendant la grossesse|je suis enceinte et|pendant l’allaitement|quelle dose|quel dosage|combien de comprimés|avec mon traitement médical|mes médicaments|douleur à la poitrine|douleur thoracique|n’arrive plus à respirer|du mal à respirer|' +
  'réaction allergique|mon fils a avalé|ma fille a avalé|mon enfant a avalé|mon bébé a avalé|empoisonné|intoxication|est inconscient|est inconsciente|crise cardiaque|avis médical|urgence médicale|mes symptômes|surdose|' +
  'effetti collaterali|in gravidanza|durante la gravidanza|durante l’allattamento|che dose|quale dosaggio|quante pastiglie|quante compresse|con i miei farmaci|i miei farmaci|dolore al petto|non riesco a respirare|reazione allergica|figlio ha ingerito|figlia ha ingerito|figlio ha ingoiato|figlia ha ingoiato|avvelenato|avvelenamento|' +
  'svenuto|attacco di cuore|consiglio medico|emergenza medica|i miei sintomi|overdose|' +
  'bijwerkingen|tijdens de zwangerschap|tijdens mijn zwangerschap|tijdens de borstvoeding|welke dosering|hoeveel pillen|hoeveel tabletten|met mijn medicijnen|mijn medicijnen|pijn op de borst|krijg geen lucht|geen adem|allergische reactie|zoon heeft ingeslikt|dochter heeft ingeslikt|kind heeft ingeslikt|' +
  'vergiftigd|vergiftiging|bewusteloos|hartaanval|medisch advies|medisch noodgeval|mijn symptomen|overdosis|' +
  'skutki uboczne|w ciąży|ile tabletek|jaka dawka|reakcja alergiczna|nie mogę oddychać|ból w klatce piersiowej|yan etkileri|hamilelikte|alerjik reaksiyon|nefes alamıyorum|göğüs ağrısı|zehirlendi|' +
  'побочные эффекты|при беременности|какая дозировка|сколько таблеток|аллергическая реакция|не могу дышать|боль в груди|отравление|побічні ефекти|під час вагітності|алергічна реакція|не можу дихати|الآثار الجانبية|أثناء الحمل|رد فعل تحسسي|لا أستطيع التنفس'

/** A dispute that is or may become one between lawyers. */
export const LEGAL =
  'legal action|take legal|my lawyer|my attorney|my solicitor|a lawyer involved|contact a lawyer|hire a lawyer|get a lawyer|talk to a lawyer|see you in court|take you to court|going to court|small claims court|i will sue|ill sue|im suing|going to sue|we will sue|suing you|sue your company|' +
  'lawsuit|legal advice|cease and desist|court order|subpoena|press charges|pressing charges|file a police report|filed a police report|report you to the police|data protection authority|report you to the authorities|trading standards|consumer protection agency|attorney general|am i legally|is it legal to|is it illegal to|' +
  'mein anwalt|meinen anwalt|meinem anwalt|meine anwältin|meiner anwältin|rechtsanwalt einschalten|anwalt einschalten|anwalt einschalte|rechtliche schritte|gerichtlich vorgehen|vor gericht|verklagen|verklage|klage einreichen|strafanzeige|anzeige erstatten|zeige sie an|mahnbescheid|einstweilige verfügung|unterlassungserklärung|verbraucherzentrale|' +
  'rechtsberatung|datenschutzbehörde|' +
  'mi abogado|mi abogada|mis abogados|acciones legales|acción legal|medidas legales|voy a demandar|los demandaré|les voy a demandar|demandarlos|demandarles|demanda judicial|ante los tribunales|poner una denuncia|voy a denunciar|os voy a denunciar|denunciarlos|organismo de consumo|oficina del consumidor|profeco|asesoría legal|asesoramiento legal|' +
  'meu advogado|minha advogada|ação judicial|medidas legais|medidas judiciais|vou processar|processar vocês|processar a empresa|entrar na justiça|procon|boletim de ocorrência|pequenas causas|orientação jurídica|no tribunal|' +
  'mon avocat|mon avocate|action en justice|actions en justice|poursuites judiciaires|poursuivre en justice|porter plainte|porterai plainte|plainte au commissariat|déposer plainte|au tribunal|mise en demeure|dgccrf|conseil juridique|vous attaquer en justice|' +
  'il mio avvocato|mio avvocato|azioni legali|azione legale|vie legali|vi denuncio|sporgere denuncia|faccio causa|farò causa|fare causa|in tribunale|diffida legale|consulenza legale|associazione consumatori|' +
  'mijn advocaat|juridische stappen|gerechtelijke stappen|naar de rechter|voor de rechter|aanklagen|klaag jullie aan|klaag u aan|aangifte doen|doe aangifte|aangifte bij de politie|ingebrekestelling|consumentenbond|juridisch advies|dagvaarding|' +
  'mój prawnik|mój adwokat|kroki prawne|pozwę was|pójdę do sądu|do sądu|zgłoszę na policję|rzecznik konsumentów|uokik|avukatım|dava açacağım|mahkemeye|tüketici hakem heyeti|savcılığa|' +
  'мой адвокат|мой юрист|подам в суд|подать в суд|обращусь в суд|в роспотребнадзор|роспотребнадзор|заявление в полицию|мій адвокат|мій юрист|подам до суду|звернуся до суду|заяву в поліцію|المحامي الخاص بي|إجراءات قانونية|سأقاضيكم|رفع دعوى|حماية المستهلك'

/** Somebody says that they will hurt others, or that others are in danger. */
export const THREAT =
  'i will kill you|ill kill you|im going to kill you|gonna kill you|kill you all|kill all of you|i will kill him|i will kill her|im going to kill him|im going to kill her|i will hurt you|ill hurt you|im going to hurt you|beat you up|i know where you live|know where you work|find out where you live|come to your office with|' +
  'burn down your|burn your shop|burn your store|burn your office|burn it all down|blow up your|there is a bomb|theres a bomb|planted a bomb|put a bomb|bomb threat|shoot up your|shoot you all|shoot everyone|bring a gun|you will regret this|youll regret this|you are a dead man|youre a dead man|watch your back|hurt someone|hurt my children|hurt my wife|he is hitting me|he hits me|he will kill me|being threatened|' +
  'ich bringe dich um|ich bringe euch um|ich bring dich um|ich bring euch um|ich bringe sie um|bringe euch alle um|ich mach dich fertig|ich mache dich kalt|ich weiß wo du wohnst|ich weiß wo ihr|ich weiß wo sie wohnen|ich komme vorbei und|zünde euren|zünde euch|eine bombe in|bombe gelegt|bombendrohung|amoklauf|erschieße|abknallen|ihr werdet es bereuen|das werdet ihr bereuen|das wirst du bereuen|' +
  'te voy a matar|los voy a matar|os voy a matar|voy a matarte|sé dónde vives|sé dónde viven|sé dónde trabajas|te vas a arrepentir|se van a arrepentir|una bomba en|poner una bomba|voy a quemar|te voy a pegar|los voy a quemar|' +
  'vou te matar|vou matar vocês|vou matar todos|sei onde você mora|sei onde vocês|vai se arrepender|vão se arrepender|colocar uma bomba|botar fogo|vou te pegar|' +
  'je vais te tuer|je vais vous tuer|je vous tuerai|je sais où tu habites|je sais où vous habitez|je sais où vous travaillez|vous allez le regretter|tu vas le regretter|une bombe dans votre|poser une bombe|il y a une bombe|tout faire sauter|mettre le feu à|' +
  'ti ammazzo|vi ammazzo|ti uccido|vi uccido|so dove abiti|so dove abitate|so dove lavori|ve ne pentirete|te ne pentirai|una bomba in|metto una bomba|vi brucio|' +
  'ik vermoord je|ik vermoord jullie|ik maak je af|ik maak jullie af|ik weet waar je woont|ik weet waar jullie|je gaat er spijt van krijgen|jullie krijgen hier spijt van|een bom in|bommelding|in brand steken|' +
  'zabiję cię|zabiję was|wiem gdzie mieszkasz|pożałujesz tego|pożałujecie|podłożę bombę|podłożyłem bombę|seni öldürürüm|seni öldüreceğim|sizi öldüreceğim|nerede oturduğunu biliyorum|pişman olacaksınız|bomba koyacağım|' +
  'я тебя убью|я вас убью|убью тебя|убью вас|знаю где ты живешь|знаю где вы живете|вы пожалеете|ты пожалеешь|взорву|подожгу|я тебе вбю|я вас вбю|вбю тебе|знаю де ти живеш|ви пошкодуєте|підпалю|підірву|سأقتلك|سأقتلكم|أعرف أين تسكن|سوف تندم|قنبلة'

/** `#` is an age from 5 to 15. */
export const MINOR =
  'i am # years old|im # years old|i am only #|im only #|i am #|im #|i am a child|im a child|im a minor|i am a minor|im underage|i am underage|my age is #|' +
  'ich bin # jahre alt|ich bin erst #|ich bin #|ich bin minderjährig|ich bin ein kind|tengo # años|solo tengo #|sólo tengo #|soy menor de edad|soy un niño|soy una niña|' +
  'tenho # anos|só tenho #|sou menor de idade|sou uma criança|j’ai # ans|j’ai seulement #|je suis mineur|je suis mineure|je suis un enfant|ho # anni|ho solo # anni|sono minorenne|sono un bambino|sono una bambina|' +
  'ik ben # jaar|ik ben pas #|ik ben minderjarig|ik ben een kind|mam # lat|mam dopiero #|jestem niepełnoletni|jestem niepełnoletnia|ben # yaşındayım|# yaşındayım|reşit değilim|мне # лет|мне всего #|я несовершеннолетний|я несовершеннолетняя|' +
  'мені # років|мені лише #|я неповнолітній|я неповнолітня|عمري # سنة|عمري # سنوات|عمري # عاما|أنا قاصر|أنا طفل'
