"""The papers that tasks cite, as BibTeX."""

from __future__ import annotations

NCIMP = r"""@article{he-etal-2025-investigating,
  author = {He, Wei and Kramer Vieira, Tiago and Garcia, Marcos and Scarton, Carolina
    and Idiart, Marco and Villavicencio, Aline},
  doi = {10.1162/coli_a_00546},
  journal = {Computational Linguistics},
  number = {2},
  title = {Investigating Idiomaticity in Word Representations},
  volume = {51},
  year = {2025},
}"""

PSS = r"""@inproceedings{bhathena-etal-2020-evaluating,
  author = {Bhathena, Hanoz and Willis, Angelica and Dass, Nathan},
  booktitle = {Proceedings of the 5th Workshop on Representation Learning for {NLP}},
  pages = {185--193},
  title = {Evaluating Compositionality of Sentence Representation Models},
  url = {https://aclanthology.org/2020.repl4nlp-1.22},
  year = {2020},
}"""

EPS = r"""@misc{wold-epsilon-compositionality,
  author = {Wold, Sondre and Simon, {\'E}tienne and Velldal, Erik and {\O}vrelid, Lilja},
  title = {Measuring Idiomaticity in Text Embedding Models with $\epsilon$-compositionality},
}"""

NCTTI = r"""@inproceedings{garcia-etal-2021-assessing,
  author = {Garcia, Marcos and Kramer Vieira, Tiago and Scarton, Carolina and Idiart, Marco
    and Villavicencio, Aline},
  booktitle = {Proceedings of ACL-IJCNLP 2021},
  title = {Assessing the Representations of Idiomaticity in Vector Models with a Noun Compound Dataset
    Labeled at Type and Token Levels},
  year = {2021},
}"""

MONT = r"""@inproceedings{carvalho-etal-2025-montague,
  address = {Abu Dhabi, UAE},
  archiveprefix = {arXiv},
  author = {Carvalho, Danilo S. and Manino, Edoardo and Rozanova, Julia and Cordeiro, Lucas and Freitas, Andr{\'e}},
  booktitle = {Proceedings of the 31st International Conference on Computational Linguistics},
  eprint = {2212.04310},
  note = {First version 2022},
  pages = {5515--5529},
  title = {Montague semantics and modifier consistency measurement in neural language models},
  url = {https://aclanthology.org/2025.coling-main.370},
  year = {2025},
}"""

YELP = r"""@inproceedings{li-etal-2018-delete,
  address = {New Orleans, Louisiana},
  author = {Li, Juncen and Jia, Robin and He, He and Liang, Percy},
  booktitle = {Proceedings of the 2018 Conference of the North {A}merican Chapter of the Association for
    Computational Linguistics: Human Language Technologies, Volume 1 (Long Papers)},
  doi = {10.18653/v1/N18-1169},
  pages = {1865--1874},
  title = {Delete, Retrieve, Generate: a Simple Approach to Sentiment and Style Transfer},
  year = {2018},
}"""

TREES = r"""@inproceedings{andreas-2019-measuring,
  author = {Andreas, Jacob},
  booktitle = {International Conference on Learning Representations},
  title = {Measuring Compositionality in Representation Learning},
  url = {https://openreview.net/forum?id=HJz05o0qK7},
  year = {2019},
}

@inproceedings{socher-etal-2013-recursive,
  author = {Socher, Richard and Perelygin, Alex and Wu, Jean and Chuang, Jason and Manning, Christopher D.
    and Ng, Andrew and Potts, Christopher},
  booktitle = {Proceedings of the 2013 Conference on Empirical Methods in Natural Language Processing},
  pages = {1631--1642},
  title = {Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank},
  url = {https://aclanthology.org/D13-1170},
  year = {2013},
}"""

STS3K = r"""@article{fodor-etal-2025-compositionality,
  author = {Fodor, James and De Deyne, Simon and Suzuki, Shinsuke},
  journal = {Computational Linguistics},
  number = {1},
  title = {Compositionality and Sentence Meaning: Comparing Semantic Parsing and Transformers on a Challenging
    Sentence Similarity Dataset},
  volume = {51},
  year = {2025},
}"""

TRANSITIVE = r"""@inproceedings{grefenstette-sadrzadeh-2011-experimental,
  author = {Grefenstette, Edward and Sadrzadeh, Mehrnoosh},
  booktitle = {Proceedings of EMNLP 2011},
  title = {Experimental Support for a Categorical Compositional Distributional Model of Meaning},
  year = {2011},
}

@inproceedings{kartsaklis-sadrzadeh-2013-prior,
  author = {Kartsaklis, Dimitri and Sadrzadeh, Mehrnoosh},
  booktitle = {Proceedings of EMNLP 2013},
  title = {Prior Disambiguation of Word Tensors for Constructing Sentence Vectors},
  year = {2013},
}"""

SUGARCREPE = r"""@inproceedings{dumpala-etal-2024-sugarcrepe,
  archiveprefix = {arXiv},
  author = {Dumpala, Sri Harsha and Jaiswal, Aman and Sastry, Chandramouli Shama and Milios, Evangelos
    and Oore, Sageev and Sajjad, Hassan},
  booktitle = {Advances in Neural Information Processing Systems (Datasets and Benchmarks)},
  eprint = {2406.11171},
  title = {{SUGARCREPE++} Dataset: Vision-Language Model Sensitivity to Semantic and Lexical Alterations},
  year = {2024},
}"""

IMPLI = r"""@inproceedings{stowe-etal-2022-impli,
  author = {Stowe, Kevin and Utama, Prasetya and Gurevych, Iryna},
  booktitle = {Proceedings of the 60th Annual Meeting of the Association for Computational Linguistics},
  title = {{IMPLI}: Investigating {NLI} Models' Performance on Figurative Language},
  year = {2022},
}"""

SEMANTONEG = r"""@inproceedings{vahtola-etal-2022-easy,
  address = {Abu Dhabi, United Arab Emirates (Hybrid)},
  author = {Vahtola, Teemu and Creutz, Mathias and Tiedemann, J{\"o}rg},
  booktitle = {Proceedings of the Fifth BlackboxNLP Workshop on Analyzing and Interpreting Neural Networks for NLP},
  pages = {249--262},
  title = {It Is Not Easy To Detect Paraphrases: Analysing Semantic Similarity With Antonyms and Negation Using the New
    {SemAntoNeg} Benchmark},
  year = {2022},
}"""

NEGATION = r"""@inproceedings{hartmann-etal-2021-multilingual,
  author = {Hartmann, Mareike and de Lhoneux, Miryam and Hershcovich, Daniel and Kementchedjhieva, Yova and Nielsen,
    Lukas and Qiu, Chen and S{\o}gaard, Anders},
  booktitle = {Proceedings of the 25th Conference on Computational Natural Language Learning},
  pages = {244--257},
  title = {A Multilingual Benchmark for Probing Negation-Awareness with Minimal Pairs},
  year = {2021},
}"""

IDIOLINK = r"""@misc{hashiloni-etal-2026-idiolink,
  archiveprefix = {arXiv},
  author = {Hashiloni, Kai Golan and Fadlon, Daniel and Livyatan, Lior and Hefetz, Ofri and Pei, Jiahuan and Bar, Kfir},
  eprint = {2605.22247},
  title = {{IdioLink}: Retrieving Meaning Beyond Words Across Idiomatic and Literal Expressions},
  year = {2026},
}"""

SEMEVAL_2022 = r"""@inproceedings{tayyar-madabushi-etal-2022-semeval,
  author = {Tayyar Madabushi, Harish and Gow-Smith, Edward and Garcia, Marcos and Scarton, Carolina and Idiart, Marco
    and Villavicencio, Aline},
  booktitle = {Proceedings of the 16th International Workshop on Semantic Evaluation},
  pages = {107--121},
  title = {{SemEval}-2022 Task 2: Multilingual Idiomaticity Detection and Sentence Embedding},
  year = {2022},
}"""

SEMEME = r"""@inproceedings{qi-etal-2019-modeling,
  author = {Qi, Fanchao and Huang, Junjie and Yang, Chenghao and Liu, Zhiyuan and Chen, Xiao and Liu, Qun
    and Sun, Maosong},
  booktitle = {Proceedings of the 57th Annual Meeting of the Association for Computational Linguistics},
  pages = {5706--5715},
  title = {Modeling Semantic Compositionality with Sememe Knowledge},
  year = {2019},
}"""

PARTICLE_VERBS = r"""@inproceedings{aedmaa-2017-exploring,
  author = {Aedmaa, Eleri},
  booktitle = {Proceedings of the ESSLLI 2017 Student Session},
  pages = {197--208},
  title = {Exploring Compositionality of {E}stonian Particle Verbs},
  year = {2017},
}

@inproceedings{aedmaa-etal-2018-combining,
  author = {Aedmaa, Eleri and K{\"o}per, Maximilian and Schulte im Walde, Sabine},
  booktitle = {Proceedings of NAACL-HLT 2018: Student Research Workshop},
  pages = {9--16},
  title = {Combining Abstractness and Language-specific Theoretical Indicators for Detecting Non-Literal Usage of
    {E}stonian Particle Verbs},
  year = {2018},
}"""

SCIENCE_COMPOUNDS = r"""@misc{scientific-noun-compounds,
  howpublished = {https://github.com/uzaberer/Compositionality-Ratings-for-Scientific-Noun-Compounds},
  title = {Compositionality Ratings for Scientific Noun Compounds},
}"""

JSICK = r"""@article{yanaka-mineshima-2022-compositional,
  author = {Yanaka, Hitomi and Mineshima, Koji},
  journal = {Transactions of the Association for Computational Linguistics},
  pages = {1266--1284},
  title = {Compositional Evaluation on {J}apanese Textual Entailment and Similarity},
  volume = {10},
  year = {2022},
}"""

GERMAN_IDIOMS = r"""@inproceedings{ehren-etal-2020-supervised,
  author = {Ehren, Rafael and Lichte, Timm and Kallmeyer, Laura and Waszczuk, Jakub},
  booktitle = {Proceedings of the Joint Workshop on Multiword Expressions and Electronic Lexicons},
  pages = {211--220},
  title = {Supervised Disambiguation of {G}erman Verbal Idioms with a {BiLSTM} Architecture},
  year = {2020},
}"""

DODIOM = r"""@article{eryigit-etal-2022-gamified,
  author = {Eryi{\u{g}}it, G{\"u}l{\c{s}}en and {\c{S}}enta{\c{s}}, Ali and Monti, Johanna},
  journal = {Natural Language Engineering},
  title = {Gamified Crowdsourcing for Idiom Corpora Construction},
  year = {2022},
}"""
